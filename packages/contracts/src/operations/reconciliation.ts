import { z } from 'zod'
import { keys } from '#/examples.ts'
import { Moment, pageCursor } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Dispute } from '#/records.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** The four independent records of an order. */
export const Book = z.enum(['orders', 'payments', 'processor', 'deliveries'])
export type Book = z.infer<typeof Book>

export const MismatchRule = z.enum([
  'charge-missing',
  'charge-amount',
  'charge-twice',
  'charge-unwanted',
  'charge-of-test-order',
  'charge-without-order',
  'refund-amount',
  'payment-state',
  'payment-unknown-to-processor',
  'payment-without-order',
  'delivery-missing',
  'delivery-unwanted',
])
export type MismatchRule = z.infer<typeof MismatchRule>

const says = z.string().nullable()

export const Mismatch = z
  .object({
    orderApiKey: ApiKey,
    rule: MismatchRule,
    detail: z.string().describe('The contradiction, with amounts.'),
    remedy: z.string().describe('The action for an operator.'),
    disagree: z.array(Book).describe('The books that contradict one another.'),
    says: z
      .object({ orders: says, payments: says, processor: says, deliveries: says })
      .describe('The entry of each book for the order, in words; null without an entry.'),
  })
  .meta({ id: 'Mismatch' })
export type Mismatch = z.infer<typeof Mismatch>

const count = z.int()

export const ReconciliationCounts = z
  .object({
    orders: count,
    inProgress: count.describe('Orders in progress, which are not compared yet.'),
    charged: count.describe('Transmitted card orders that were not cancelled.'),
    payments: count.describe('Rows of the payments service for these orders.'),
    charges: count.describe('Charges of the processor in that time.'),
    deliveries: count.describe('Orders that their restaurants have accepted.'),
    refunds: count.describe('Orders with a refund, cash included.'),
    mismatches: count,
  })
  .meta({ id: 'ReconciliationCounts' })
export type ReconciliationCounts = z.infer<typeof ReconciliationCounts>

export const Reconciliation = operation({
  name: 'reconciliation',
  summary: 'Compare orders, payments, the processor and deliveries',
  description:
    'Compares the four books orders, payments, payment processor and deliveries. A transmitted card order that was not cancelled has exactly one captured charge of exactly its total. The refunds of the processor equal the refunds of the order. Every authorization or charge of any other order is voided or refunded. A test order has no charge at all, and a transmitted order has an accepted delivery. Orders in progress are counted, not compared. One response covers the orders that can be compared within a few seconds. While `complete` is false, follow the `Link` header.',
  method: 'GET',
  path: '/operatorapi/v1/reconciliation',
  owner: 'orders',
  admission: 'priority',
  query: z.object({
    since: Moment.describe('Unix time in seconds: the beginning of the compared orders and charges.'),
    cursor: pageCursor(),
  }),
  response: z.object({
    since: Epoch,
    until: Epoch.describe('Later orders and charges were not compared.'),
    complete: z.boolean().describe('Whether this response is the last one.'),
    counts: ReconciliationCounts.describe('The counts of this response.'),
    mismatches: z.array(Mismatch).describe('Empty when the books agree.'),
    disputes: z
      .array(Dispute.extend({ orderApiKey: ApiKey }))
      .describe('The disputed orders of this response, also those of the past.'),
  }),
  returns: 'The counts, and every mismatch.',
  examples: {
    query: { since: 1795113000 },
    response: {
      since: 1795113000,
      until: 1795199400,
      complete: true,
      counts: {
        orders: 1240,
        inProgress: 2,
        charged: 803,
        payments: 861,
        charges: 861,
        deliveries: 1198,
        refunds: 12,
        mismatches: 1,
      },
      mismatches: [
        {
          orderApiKey: keys.order,
          rule: 'charge-amount',
          detail: 'The order is 25.45, the charge is 24.45.',
          remedy:
            'Compare the order with the charge in the dashboard of the processor. Refund the difference.',
          disagree: ['orders', 'processor'],
          says: {
            orders: 'transmitted, card, 25.45, CHARGED',
            payments: 'captured 24.45 as pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
            processor: 'captured 24.45 as pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
            deliveries: 'accepted',
          },
        },
      ],
      disputes: [],
    },
  },
  problems: ['payment-unavailable'],
})
