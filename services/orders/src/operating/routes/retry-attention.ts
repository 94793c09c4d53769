import type { Bus } from '@platter/bus'
import { commands, RetryAttention } from '@platter/contracts'
import { Problem, type Handler, type RequestContext } from '@platter/kit'
import { SOURCES, type Deps as Incidents } from '#/operating/incident-sources.ts'
import { isOfUnavailable, isOpen, splitId } from '#/operating/incidents.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Incidents & {
  alerts: Pick<AlertStore, 'makeDeliveriesDue'>
  scheduledRuns: Pick<PostgresScheduledRuns, 'makeDue'>
  idempotent: Idempotent
  bus: Bus
}

/** The part of a retry that runs in the transaction of the stored response. Returns the text for the operator. */
type Rest = (stores: Stores) => Promise<string>

/** Retries an incident. A second retry is harmless, because commands are idempotent. */
export function retryAttention(deps: Deps): Handler<typeof RetryAttention> {
  const { alerts, scheduledRuns } = deps
  const { replay, execute } = deps.idempotent(RetryAttention)

  async function retry(id: string, context: RequestContext): Promise<Rest> {
    const { source, key } = splitId(id) ?? noSuchIncident()
    if (source === 'letter') return republish(deps, key)
    if (source === 'saga') return async ({ incidents }) => makeSagaDue(incidents, key)
    if (!(await isOpen(deps, { id, source }, context))) noSuchIncident()
    switch (source) {
      case 'mismatch':
      case 'reconciliation': {
        const isDue = await scheduledRuns.makeDue('reconcile')
        return async () =>
          isDue
            ? 'The reconciliation runs again within two minutes.'
            : 'A reconciliation is running, or is due within six minutes. Read the incidents again then.'
      }
      case 'alert':
        await alerts.makeDeliveriesDue(key)
        return async () => 'The alert is sent again within seconds.'
      case 'payment':
        // The command of its saga repeats the call with the unknown outcome.
        return async ({ incidents }) => makeSagaDue(incidents, key)
      default:
        return async () => `A retry changes nothing. ${SOURCES[source].advice}`
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

async function makeSagaDue(incidents: Stores['incidents'], key: string): Promise<string> {
  if (!(await incidents.makeSagaDue(key))) noSuchIncident()
  return 'The command of the saga is republished within a second.'
}

/** Republishes a dead letter. It is deleted after RabbitMQ has confirmed the message. */
async function republish({ incidents, bus }: Deps, key: string): Promise<Rest> {
  const letter = await incidents.findDeadLetter(key)
  const command = commands.find(({ name }) => name === letter?.command)
  // An equal concurrent request may have deleted the dead letter; this request receives the same response.
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
  throw new Problem('attention-not-found')
}
