import { z } from 'zod'
import { keys } from '#/examples.ts'
import { Moment, pageCursor } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch, Money } from '#/values.ts'

/** A cell of a spreadsheet: it must not contain a separator or begin a formula. */
const ProcessorId = z.string().regex(/^\w[\w-]{0,99}$/)

export const BalanceTransaction = z
  .object({
    id: ProcessorId.describe("The processor's id."),
    kind: z.enum(['payment', 'refund', 'dispute', 'dispute-reversal', 'fee']),
    orderApiKey: ApiKey.nullable().describe('Null for a transaction that belongs to no order.'),
    charge: ProcessorId.nullable().describe("The processor's id of the charge; null without one."),
    amount: Money.describe('Positive for money that arrives, negative for money that leaves.'),
    fee: Money.describe('The fee of the processor.'),
    date: Epoch,
  })
  .meta({ id: 'BalanceTransaction', description: 'A change of the balance at the payment processor.' })
export type BalanceTransaction = z.infer<typeof BalanceTransaction>

export const BalanceTransactions = operation({
  name: 'balance-transactions',
  summary: 'Read payments, refunds, disputes and fees for accounting',
  description:
    'The changes of the balance at the payment processor, as the processor reports them. The sum of `amount` minus the sum of `fee` is the change of the balance. `orderApiKey` is null for a fee of the account, and for another sale of the same account. Cash is not included. A `Link` header leads to the next page.',
  method: 'GET',
  path: '/operatorapi/v1/balance-transactions',
  owner: 'payments',
  admission: 'priority',
  query: z
    .object({
      since: Moment.describe('Unix time in seconds: the beginning.'),
      until: Moment.optional().describe('The end, exclusive; the current time when absent.'),
      cursor: pageCursor(400),
    })
    .refine(({ since, until = Infinity }) => since < until, { path: ['until'], error: 'is not after since' }),
  response: z.object({
    since: Epoch,
    until: Epoch,
    transactions: z.array(BalanceTransaction),
  }),
  returns: 'One page of transactions.',
  examples: {
    query: { since: 1795113000 },
    response: {
      since: 1795113000,
      until: 1795199400,
      transactions: [
        {
          id: 'txn_1',
          kind: 'payment',
          orderApiKey: keys.order,
          charge: 'pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
          amount: 25.45,
          fee: 1.04,
          date: 1795199410,
        },
      ],
    },
  },
  problems: ['payment-unavailable'],
})
