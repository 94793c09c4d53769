import { Cents } from '@platter/contracts'
import { z } from 'zod'
import { pathOf, queryOf, type Send } from '#/outside/development-client.ts'
import { Id, Word, type ProcessorReads } from '#/outside/processor.ts'

const Refund = z
  .object({
    id: Id,
    idempotencyKey: z.string().nullable(),
    amount: Cents,
    state: z.enum(['pending', 'done', 'failed']),
    at: z.int(),
  })
  .transform(({ idempotencyKey: key, ...refund }) => ({ ...refund, key }))
const Dispute = z.object({
  id: Id,
  state: z.enum(['open', 'won', 'lost']),
  amount: Cents,
  reason: Word,
  at: z.int(),
  respondBy: z.int(),
  isRefundable: z.boolean().optional(),
})
/** A charge with its refunds and disputes. */
const ChargeDetails = z
  .object({ id: Id, reference: z.string(), refunds: z.array(Refund), disputes: z.array(Dispute) })
  .transform((charge) => ({ charge }))
const BalanceTransactionList = z.object({
  balanceTransactions: z.array(
    z.object({
      id: Id,
      kind: z.enum(['payment', 'refund', 'dispute', 'dispute-reversal']),
      charge: Id,
      reference: z.string(),
      amount: z.int(),
      fee: z.int(),
      at: z.int(),
    }),
  ),
  after: z.string().nullable(),
})

/** Returns the reads of the development payment processor. */
export function developmentReads(send: Send): ProcessorReads {
  return {
    async charge(id) {
      const result = await send({ method: 'GET', path: pathOf(id) }, ChargeDetails)
      return result.kind === 'no' ? { kind: 'yes', charge: null } : result
    },
    balanceTransactions: (time) =>
      send({ method: 'GET', path: `/balance-transactions?${queryOf(time)}` }, BalanceTransactionList),
  }
}
