import type { Bus } from '@platter/bus'
import { ReadPaymentStory, RetryPayment, commands, RetryAttention } from '@platter/contracts'
import { Problem, type Handler, type internalCaller, type RequestContext } from '@platter/kit'
import { isOfUnavailable, splitId, unattended } from '#/operating/incidents.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'incidents'> & {
  alerts: Pick<AlertStore, 'hasMismatch' | 'wakeDeliveries'>
  scheduledRuns: Pick<PostgresScheduledRuns, 'wake'>
  idempotent: Idempotent
  bus: Bus
  payments: ReturnType<typeof internalCaller>
  acceptWithinMs: number
}

/** The question has no filter by restaurant. */
const MAX_UNATTENDED = 10_000

/** The part of a retry that runs in the transaction of the stored response. Returns the text for the operator. */
type Rest = (stores: Stores) => Promise<string>

/** Retries an incident. A second retry is harmless, because commands and payment look-ups are idempotent. */
export function retryAttention(deps: Deps): Handler<typeof RetryAttention> {
  const { payments, acceptWithinMs } = deps
  const { replay, execute } = deps.idempotent(RetryAttention)

  async function retry(id: string, context: RequestContext): Promise<Rest> {
    const { source, key } = splitId(id) ?? noSuchIncident()
    switch (source) {
      case 'letter':
        return republish(deps, key)
      case 'saga':
        return async ({ incidents }) => wakeSaga(incidents, key)
      case 'order':
        return async ({ incidents }) => checkUnaccepted(incidents, key, acceptWithinMs)
      case 'mismatch': {
        if (!(await deps.alerts.hasMismatch(key))) noSuchIncident()
        await deps.scheduledRuns.wake('reconcile')
        return async () => 'The reconciliation runs again within two minutes.'
      }
      case 'refund':
        return async ({ incidents }) => checkRefund(incidents, key)
      case 'dispute':
        return checkDispute(deps, key, context)
      case 'alert':
        return wakeAlert(deps, key)
      case 'restaurant':
        return checkUnattended(deps, key, context)
      case 'payment': {
        const { found, known } = await payments(RetryPayment, { orderApiKey: key }, context)
        return async ({ incidents }) => {
          if (!found) noSuchIncident()
          // The reply to the republished command contains the outcome that payments found.
          await incidents.wakeSaga(key)
          return `The payment processor was queried. The outcome is ${known ? 'now known' : 'still unknown'}.`
        }
      }
    }
  }

  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { id } = call.params
    const rest = isOfUnavailable(id) ? readAgain : await retry(id, call)
    return execute(call, async (stores) => ({ id, done: await rest(stores) }))
  }
}

const readAgain: Rest = async () => 'Each list reads these incidents again. Check the service.'

async function wakeAlert({ alerts }: Deps, channel: string): Promise<Rest> {
  if (!(await alerts.wakeDeliveries(channel))) noSuchIncident()
  return async () => 'The alert is sent again within seconds.'
}

async function wakeSaga(incidents: Stores['incidents'], key: string): Promise<string> {
  if (!(await incidents.wakeSaga(key))) noSuchIncident()
  return 'The command of the saga is republished within a second.'
}

async function checkUnaccepted(
  incidents: Stores['incidents'],
  key: string,
  withinMs: number,
): Promise<string> {
  if (!(await incidents.isUnaccepted(key, withinMs))) noSuchIncident()
  return 'Only the restaurant can start the order. Call the restaurant.'
}

async function checkRefund(incidents: Stores['incidents'], key: string): Promise<string> {
  if (!(await incidents.hasFailedRefund(key))) noSuchIncident()
  return 'A failed refund is not repeated. Run: platter orders refund ORDER'
}

async function checkDispute({ payments }: Deps, orderApiKey: string, context: RequestContext): Promise<Rest> {
  const { payment } = await payments(ReadPaymentStory, { orderApiKey }, context)
  if (!payment?.disputes.some(({ state }) => state === 'OPEN')) noSuchIncident()
  return async () => 'Only the bank can close a dispute. Respond at the payment processor.'
}

async function checkUnattended({ bus }: Deps, key: string, context: RequestContext): Promise<Rest> {
  const { restaurants } = await unattended(bus, { before: null, limit: MAX_UNATTENDED }, context)
  if (!restaurants.some(({ restaurantApiKey }) => restaurantApiKey === key)) noSuchIncident()
  return async () => 'Only a client of the restaurant can end this. Call the restaurant.'
}

/** Republishes a dead letter. It is deleted after RabbitMQ has confirmed the message. */
async function republish({ incidents, bus }: Deps, key: string): Promise<Rest> {
  const letter = await incidents.findDeadLetter(key)
  const command = commands.find(({ name }) => name === letter?.command)
  // An equal concurrent request may have deleted it; this request receives the same response.
  if (!letter) return async () => noSuchIncident()
  if (command) await bus.republish(command, letter)
  return async (stores) => {
    await stores.incidents.deleteDeadLetter(key, letter)
    return command
      ? 'The message was republished.'
      : 'This version has no such command. The message was deleted.'
  }
}

function noSuchIncident(): never {
  throw new Problem('attention-not-found', 'There is no open incident with this id.')
}
