import type { Bus } from '@platter/bus'
import { AskPaymentAgain, commands, type RetryAttention } from '@platter/contracts'
import { Problem, type Handler, type internalCaller } from '@platter/kit'
import { splitId } from '#/attention.ts'
import * as store from '#/store/attention.ts'
import type { Db } from '#/store/tables.ts'

type Needs = {
  db: Db
  bus: Bus
  payments: ReturnType<typeof internalCaller>
  acceptWithinMs: number
}

/** Tries again what needs a person. To do so twice harms nobody: everything here may be said more than once. */
export const retryAttention =
  ({ db, bus, payments, acceptWithinMs }: Needs): Handler<typeof RetryAttention> =>
  async ({ params: { id }, requestId }) => {
    const { source, key } = splitId(id) ?? nobody()
    const done = DONE[source]
    switch (source) {
      case 'letter':
        await sayAgain({ db, bus }, key)
        return { id, done }
      case 'saga':
        if (!(await store.wakeSaga(db, key))) nobody()
        return { id, done }
      case 'order':
        if (!(await store.isUnaccepted(db, key, acceptWithinMs))) nobody()
        return { id, done }
      case 'payment': {
        const { found, known } = await payments(AskPaymentAgain, { orderApiKey: key }, requestId)
        if (!found) nobody()
        // What payments know now, its saga has to ask for.
        await store.wakeSaga(db, key)
        return { id, done: `${done} The outcome is ${known ? 'known now' : 'still open'}.` }
      }
    }
  }

const DONE = {
  letter: 'The message was said again.',
  saga: 'The saga was woken.',
  payment: 'The payment processor was asked again.',
  order: 'Nothing can be tried again: only the restaurant can start the order. Call it.',
}

/** The letter is forgotten when RabbitMQ has confirmed the message, and not before. */
async function sayAgain({ db, bus }: Pick<Needs, 'db' | 'bus'>, key: string): Promise<void> {
  const letter = await store.findDeadLetter(db, key)
  const command = commands.find(({ name }) => name === letter?.command)
  if (!letter || !command) return nobody()
  await bus.publishAgain(command, letter)
  await store.forgetDeadLetter(db, key, letter)
}

function nobody(): never {
  throw new Problem('attention-not-found', 'This needs nobody any more, or never did.')
}
