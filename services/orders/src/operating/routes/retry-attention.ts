import type { Bus } from '@platter/bus'
import { RetryPayment, commands, RetryAttention } from '@platter/contracts'
import { Problem, type Handler, type internalCaller, type RequestContext } from '@platter/kit'
import { splitId } from '#/operating/incidents.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'incidents'> & {
  idempotent: Idempotent
  bus: Bus
  payments: ReturnType<typeof internalCaller>
  acceptWithinMs: number
}

/** The rest of a retry, in the transaction that stores the response. Describes what was done. */
type Rest = (stores: Stores) => Promise<string>

/** Retries an incident. A second retry is harmless: commands and payment look-ups are idempotent. */
export function retryAttention(deps: Deps): Handler<typeof RetryAttention> {
  const { payments, acceptWithinMs } = deps
  const { replay, execute } = deps.idempotent(RetryAttention)

  async function tryAgain(id: string, context: RequestContext): Promise<Rest> {
    const { source, key } = splitId(id) ?? noSuchIncident()
    switch (source) {
      case 'letter':
        return republish(deps, key)
      case 'saga':
        return async ({ incidents }) =>
          (await incidents.wakeSaga(key)) ? 'The saga was woken.' : noSuchIncident()
      case 'order':
        return async ({ incidents }) => {
          if (!(await incidents.isUnaccepted(key, acceptWithinMs))) noSuchIncident()
          return 'Nothing can be tried again: only the restaurant can start the order. Call it.'
        }
      case 'payment': {
        const { found, known } = await payments(RetryPayment, { orderApiKey: key }, context)
        return async ({ incidents }) => {
          if (!found) noSuchIncident()
          // The saga republishes its command to learn what payments found.
          await incidents.wakeSaga(key)
          return `The payment processor was asked again. The outcome is ${known ? 'known now' : 'still open'}.`
        }
      }
    }
  }

  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { id } = call.params
    const rest = await tryAgain(id, call)
    return execute(call, async (stores) => ({ id, done: await rest(stores) }))
  }
}

/** The dead letter is deleted after RabbitMQ has confirmed the message. */
async function republish({ incidents, bus }: Deps, key: string): Promise<Rest> {
  const letter = await incidents.findDeadLetter(key)
  const command = commands.find(({ name }) => name === letter?.command)
  // The same request, sent twice, may have deleted it already, and gets the same answer.
  if (!letter) return async () => noSuchIncident()
  if (command) await bus.republish(command, letter)
  return async (stores) => {
    await stores.incidents.deleteDeadLetter(key, letter)
    return command
      ? 'The message was said again.'
      : 'This version has no such command; the message was removed.'
  }
}

function noSuchIncident(): never {
  throw new Problem('attention-not-found', 'There is no open incident with this id.')
}
