import { z } from 'zod'
import { operation } from '#/operation.ts'
import { ApiKey, Epoch } from '#/values.ts'

/** Who keeps a record of an order, each without asking the others. */
export const Book = z.enum(['orders', 'payments', 'processor', 'deliveries'])
export type Book = z.infer<typeof Book>

export const MismatchRule = z.enum([
  'charge-missing',
  'charge-amount',
  'charge-twice',
  'charge-unwanted',
  'charge-of-test-order',
  'charge-of-nobody',
  'payment-state',
  'payment-unknown-to-processor',
  'payment-of-nobody',
  'delivery-missing',
  'delivery-unwanted',
])
export type MismatchRule = z.infer<typeof MismatchRule>

const says = z.string().nullable()

export const Mismatch = z
  .object({
    orderApiKey: ApiKey,
    rule: MismatchRule,
    detail: z.string(),
    disagree: z.array(Book).describe('The books that do not fit to one another.'),
    says: z
      .object({ orders: says, payments: says, processor: says, deliveries: says })
      .describe('What each book has of the order, in words; null when it has nothing.'),
  })
  .meta({ id: 'Mismatch' })
export type Mismatch = z.infer<typeof Mismatch>

const count = z.int()

export const ReconciliationCounts = z
  .object({
    orders: count,
    inProgress: count.describe('Orders that are still under way, and so are not judged yet.'),
    charged: count.describe('Orders that stand and are paid by card.'),
    payments: count.describe('Rows of the payments service for these orders.'),
    charges: count.describe('What the processor has for that time.'),
    deliveries: count.describe('Orders that their restaurants have taken.'),
    mismatches: count,
  })
  .meta({ id: 'ReconciliationCounts' })
export type ReconciliationCounts = z.infer<typeof ReconciliationCounts>

/**
 * Compares four books that are kept apart. As much as can be compared within a few seconds is in one answer;
 * there is more when it is not complete, see the `Link` header.
 */
export const Reconciliation = operation({
  name: 'reconciliation',
  summary: 'Compare orders, payments, the processor and deliveries',
  method: 'GET',
  path: '/operatorapi/v1/reconciliation',
  owner: 'orders',
  admission: 'priority',
  query: z.object({
    since: z
      .int()
      .min(0)
      .max(9_999_999_999)
      .describe('Unix time in seconds: orders that were placed, and charges that were made, from then on.'),
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe('Where to go on: from the `Link` header of the answer before.'),
  }),
  response: z.object({
    since: Epoch,
    until: Epoch.describe('What came later was not looked at.'),
    complete: z.boolean().describe('Whether everything since then is in this answer and those before it.'),
    counts: ReconciliationCounts.describe('Of this answer.'),
    mismatches: z.array(Mismatch).describe('None: the books balance.'),
  }),
  problems: ['payment-unavailable'],
})
