import type { Bus } from '@platter/bus'
import { AskPaymentAgain, commands, RetryAttention } from '@platter/contracts'
import { Problem, type Handler, type internalCaller, type RequestContext } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { splitId } from '#/operating/attention.ts'
import * as store from '#/store/attention.ts'
import type { Db, Trx } from '#/store/tables.ts'

type Needs = {
  db: Db
  bus: Bus
  payments: ReturnType<typeof internalCaller>
  acceptWithinMs: number
}

/** What is left to do once the broker or payments have answered; what was done, in words. */
type Rest = (trx: Trx) => Promise<string>

/** Retries an incident. A second retry is harmless: commands and payment look-ups are idempotent. */
export function retryAttention({ db, bus, payments, acceptWithinMs }: Needs): Handler<typeof RetryAttention> {
  const { replay, execute } = idempotent(db, RetryAttention)

  async function tryAgain(id: string, context: RequestContext): Promise<Rest> {
    const { source, key } = splitId(id) ?? noSuchIncident()
    switch (source) {
      case 'letter':
        return sayAgain({ db, bus }, key)
      case 'saga':
        return async (trx) => ((await store.wakeSaga(trx, key)) ? 'The saga was woken.' : noSuchIncident())
      case 'order':
        return async (trx) => {
          if (!(await store.isUnaccepted(trx, key, acceptWithinMs))) noSuchIncident()
          return 'Nothing can be tried again: only the restaurant can start the order. Call it.'
        }
      case 'payment': {
        const { found, known } = await payments(AskPaymentAgain, { orderApiKey: key }, context)
        return async (trx) => {
          if (!found) noSuchIncident()
          // The saga republishes its command to learn what payments found.
          await store.wakeSaga(trx, key)
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
    return execute(call, async (trx) => ({ id, done: await rest(trx) }))
  }
}

/** The dead letter is deleted after RabbitMQ has confirmed the message. */
async function sayAgain({ db, bus }: Pick<Needs, 'db' | 'bus'>, key: string): Promise<Rest> {
  const letter = await store.findDeadLetter(db, key)
  const command = commands.find(({ name }) => name === letter?.command)
  // The same request, sent twice, may have deleted it already, and gets the same answer.
  if (!letter) return async () => noSuchIncident()
  if (command) await bus.publishAgain(command, letter)
  return async (trx) => {
    await store.forgetDeadLetter(trx, key, letter)
    return command
      ? 'The message was said again.'
      : 'This version has no such command; the message was removed.'
  }
}

function noSuchIncident(): never {
  throw new Problem('attention-not-found', 'There is no open incident with this id.')
}
