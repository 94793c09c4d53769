import { z } from 'zod'
import { maskCardNumbers } from '#/card-number.ts'
import { stripInvisible } from '#/safe-text.ts'
import { spelled } from '#/spelling.ts'

/**
 * Opaque identifier of a record. New identifiers are 48 hexadecimal characters; imported records keep theirs (`9511054`). Therefore
 * the schema checks only the length, and that no character needs escaping in a path.
 */
export const ApiKey = spelled(
  'digits',
  z
    .string()
    .regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'is not an apiKey: 1 to 100 of the characters A-Z a-z 0-9 _ . ~ -'),
).describe('Opaque identifier of the record.')
export type ApiKey = z.infer<typeof ApiKey>

/** Money inside the platform: integer cents of the restaurant's currency. */
export const Cents = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof Cents>

const hasAtMostTwoDecimals = z.refine<number>(
  (amount) => toCents(amount) !== null,
  'has more than two decimals',
)

/** Money on the wire: a JSON number, with at most two decimals in requests and exactly two in responses (`8.00`). */
export const Money = z
  .number()
  .check(hasAtMostTwoDecimals)
  .describe("Money in the restaurant's currency: in requests at most two decimals, in responses always two.")
export type Money = z.infer<typeof Money>

/** An amount from 0 to `most`. Its error text is a function, because the first formatted number takes 28 ms of a process' start. */
export const moneyUpTo = (most: number) =>
  Money.refine((amount) => amount >= 0 && amount <= most, {
    error: () => `is not between 0 and ${most.toLocaleString('en-US')}`,
  }).meta({ minimum: 0, maximum: most })

/** Returns whether a schema is `Money`, possibly with further checks and descriptions. */
export const isMoney = (schema: z.ZodNumber): boolean =>
  schema.def.checks?.includes(hasAtMostTwoDecimals) ?? false

/**
 * Converts an amount on the wire to cents; null if it has more than two decimals or is out of range. The conversion is exact: a
 * division by 100 results in the double nearest to the decimal, as JSON.parse returns it.
 */
export function toCents(amount: number): Cents | null {
  const cents = Math.round(amount * 100)
  return Number.isSafeInteger(cents) && cents / 100 === amount ? (cents as Cents) : null
}

/** Converts cents to an amount on the wire: 1075 to 10.75. */
export const toMoney = (cents: Cents): Money => cents / 100

/** Formats cents as a decimal: 1075 is "10.75". The currency is not stored, so it is omitted. */
export const formatAmount = (cents: Cents): string => toMoney(cents).toFixed(2)

/** Brands an integer as cents. Sums and products lose the brand. */
export const cents = (integer: number): Cents => integer as Cents

/** Time on the wire: Unix epoch, whole seconds. */
export const Epoch = z.int().describe('Unix time in whole seconds.')

/** Converts milliseconds since 1970 to whole seconds; by default the current time. */
export const epochSeconds = (ms = Date.now()): number => Math.floor(ms / 1_000)

/** Formats a time in epoch seconds for operators and other systems: "2026-11-29T11:02:01.000Z". */
export const isoTime = (epoch: number): string => new Date(epoch * 1_000).toISOString()

export const Method = z.enum(['pickup', 'delivery']).meta({ id: 'Method' })
export type Method = z.infer<typeof Method>

export const Payment = z.enum(['cash', 'card']).meta({ id: 'Payment' })
export type Payment = z.infer<typeof Payment>

/** docs/specification.md, "Status values". `advance` in the orders service has their order. */
export const OrderStatus = z
  .enum([
    'PROCESSING',
    'AWAITING_PREPARATION',
    'PREPARING',
    'PREPARING_AND_DELIVERING',
    'OUT_FOR_DELIVERY',
    'READY_FOR_PICKUP',
    'DELIVERED',
  ])
  .meta({
    id: 'Status',
    description:
      'The status of the order. It begins at `PROCESSING`. From `AWAITING_PREPARATION` on the restaurant has the order. `DELIVERED` includes orders that were picked up. A restaurant may skip steps; one with `coarse` reports uses `PREPARING_AND_DELIVERING` for all steps in between.',
  })
export type OrderStatus = z.infer<typeof OrderStatus>

export const PaymentState = z
  .enum(['NOT_REQUIRED', 'DUE', 'PENDING', 'AUTHORIZED', 'CHARGED', 'VOIDED', 'REFUNDED'])
  .meta({
    id: 'PaymentState',
    description:
      'The state of the payment. `NOT_REQUIRED`: a test order, or a card order whose total is 0. `DUE`: cash, paid on receipt. `PENDING`: the card is not authorized yet. `AUTHORIZED`: authorized and not captured. `CHARGED`: captured. `VOIDED`: the authorization was voided, or an order to be paid in cash was cancelled. `REFUNDED`: the charge was refunded.',
  })
export type PaymentState = z.infer<typeof PaymentState>

export const PaymentAction = z
  .object({
    type: z.literal('redirect'),
    url: z
      .string()
      .describe('Send the customer there. The page belongs to the bank or the payment processor.'),
    clientSecret: z
      .string()
      .optional()
      .describe(
        "For the payment processor's own library in an application, in place of `url`. Do not log it.",
      ),
    expires: Epoch.describe(
      'Unix time in seconds. Afterwards the order is cancelled and nothing is charged.',
    ),
  })
  .meta({
    id: 'PaymentAction',
    description: 'The action of the customer at the bank that is required before the card can be authorized.',
  })
export type PaymentAction = z.infer<typeof PaymentAction>

// People type line breaks and tabs into comments. Every other control character breaks logs, tickets or PostgreSQL (NUL is error
// 22021). Half of a surrogate pair does too.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/**
 * A trimmed text of at most `max` characters. It removes invisible characters that reorder or control the display, and rejects
 * other control characters and invalid Unicode. A text that is too long skips the other checks, because their duration grows with
 * its length.
 */
export const characters = (max: number) =>
  z
    .string()
    .max(max, { error: `is longer than ${max} characters`, abort: true })
    .refine((value) => !CONTROL.test(value), 'has a control character')
    .refine((value) => value.isWellFormed(), 'has half of a surrogate pair')
    .overwrite(stripInvisible)
    .trim()

/**
 * `characters` with masked card numbers, so that none is stored, queued, printed or returned. `max` applies to the text before
 * masking.
 */
export const text = (max: number) => characters(max).overwrite(maskCardNumbers)

const filled = (schema: z.ZodString) =>
  schema.refine((value) => value !== '', 'is empty').meta({ minLength: 1 })

/** A `text` that is not empty. */
export const filledText = (max: number) => filled(text(max))

/** A `filledText` that clients may also send as a number. */
export const filledDigits = (max: number) => spelled('digits', filledText(max))

/** A ZIP code, which clients may also send as a number. Postal codes of other countries are longer. */
export const zipCode = () => spelled('zip', filledText(20))

/** An e-mail address is not masked, because its owner signs in with it. */
export const emailAddress = () => filled(characters(200))

export const Latitude = z.number().min(-90).max(90).describe('Degrees north.')
export const Longitude = z.number().min(-180).max(180).describe('Degrees east; west is negative.')
export const Point = z.object({ latitude: Latitude, longitude: Longitude }).meta({ id: 'Point' })
export type Point = z.infer<typeof Point>
