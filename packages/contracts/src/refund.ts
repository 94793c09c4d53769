import { z } from 'zod'
import { ApiKey, Epoch, Money, text } from '#/values.ts'

export const RefundReason = z
  .enum(['MISSING_ITEM', 'WRONG_ITEM', 'QUALITY', 'LATE', 'OVERCHARGED', 'GOODWILL', 'CANCELLED', 'OTHER'])
  .meta({ id: 'RefundReason' })
export type RefundReason = z.infer<typeof RefundReason>

const BorneBy = z.enum(['restaurant', 'platform'])

export const Refund = z
  .object({
    apiKey: ApiKey,
    amount: Money.describe('The amount that the customer gets back.'),
    state: z
      .enum(['PENDING', 'DONE', 'FAILED'])
      .describe(
        '`PENDING`: the payment processor has not confirmed it yet. `FAILED`: the customer got nothing back.',
      ),
    reason: RefundReason,
    message: z.string().optional().describe('A text for the customer.'),
    items: z
      .array(
        z.object({ index: z.int().describe('Position in `items` of the order, from 0.'), amount: Money }),
      )
      .optional()
      .describe('The refunded items, each with its share of the tax.'),
    requestedBy: z.enum(['restaurant', 'operator', 'customer', 'processor']),
    borneBy: BorneBy.describe('Who pays for it.'),
    date: Epoch,
  })
  .meta({ id: 'Refund', description: 'The return of money after the capture.' })
export type Refund = z.infer<typeof Refund>

const positive = Money.refine((amount) => amount > 0, 'is not more than 0').meta({ exclusiveMinimum: 0 })

const body = z.object({
  amount: positive.optional().describe('An amount, for no particular item.'),
  items: z
    .array(
      z.object({
        index: z.int().min(0).describe('Position in `items` of the order, from 0.'),
        amount: positive
          .optional()
          .describe('A part of it, tax included. When absent, the remaining amount of the item.'),
      }),
    )
    .max(100)
    .optional()
    .describe('Items, each with its share of the tax.'),
  includeDelivery: z.boolean().default(false).describe('The delivery price as well.'),
  includeTip: z.boolean().default(false).describe('The tip as well.'),
  all: z.boolean().default(false).describe('The remaining amount of the total.'),
  reason: RefundReason,
  message: text(500).optional().describe('A text for the customer.'),
  borneBy: BorneBy.default('restaurant').describe('Who pays for it.'),
})

/** Body of both refund operations: exactly one of an amount, parts of the order, and all of it. */
export const RefundRequest = body
  .superRefine(({ amount, items = [], includeDelivery, includeTip, all }, context) => {
    const hasParts = items.length > 0 || includeDelivery || includeTip
    const given = [amount !== undefined, hasParts, all].filter(Boolean).length
    if (given !== 1)
      context.addIssue({
        code: 'custom',
        message: 'needs exactly one of amount, items (with includeDelivery and includeTip) and all',
      })
    for (const [at, { index }] of items.entries())
      if (items.findIndex((one) => one.index === index) !== at)
        context.addIssue({ code: 'custom', path: ['items', at, 'index'], message: 'is a duplicate' })
  })
  .meta({ id: 'RefundRequest' })
export type RefundRequest = z.output<typeof RefundRequest>
