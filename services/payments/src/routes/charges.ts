import type { Charge, FindCharges, ReadCharges } from '@platter/contracts'
import { cents } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Answer } from '#/domain/learn.ts'
import type { Processor, ProcessorBook } from '#/outside/processor.ts'
import type { PaymentBooks } from '#/store/payment-books.ts'

/** Throws Problem payment-unavailable for what is no answer: a book that cannot be read is not an empty one. */
function read<T>(answer: Answer<T>): T {
  if (answer.kind === 'yes') return answer
  const reason = answer.kind === 'no' ? answer.code : answer.reason
  throw new Problem('payment-unavailable', "The payment processor's book cannot be read. Please try again.", {
    cause: new Error(reason),
  })
}

export const readCharges =
  (processor: ProcessorBook): Handler<typeof ReadCharges> =>
  async ({ body }) => {
    const { charges, after } = read(await processor.list(body))
    return { charges, after }
  }

export const findCharges =
  (books: PaymentBooks, processor: Pick<Processor, 'find'>): Handler<typeof FindCharges> =>
  async ({ body }) => {
    const references = await books.references(body.orderApiKeys)
    const charges = await Promise.all(
      references.map(async ({ reference, token }): Promise<Charge[]> => {
        const { found } = read(await processor.find({ reference, token }))
        return found.map((one) => ({ ...one, amount: cents(one.amount), reference }))
      }),
    )
    return { charges: charges.flat() }
  }
