import { z } from 'zod'
import { maskCardNumbers } from '#/card-number.ts'
import { stripInvisible } from '#/safe-text.ts'
import { spelled } from '#/spelling.ts'

/**
 * Opaque identifier of a record. Ours are 48 hexadecimal characters; imported records keep theirs
 * (`9511054`), so only length and characters that need no escaping in a path are checked.
 */
export const ApiKey = spelled(
  'digits',
  z
    .string()
    .regex(/^[A-Za-z0-9_.~-]{1,100}$/, 'is not an apiKey: 1 to 100 of the characters A-Z a-z 0-9 _ . ~ -'),
).describe('Opaque identifier of the record.')
export type ApiKey = z.infer<typeof ApiKey>

/** Money inside: integer cents of the restaurant's currency, never a fraction. */
export const Cents = z.int().brand<'Cents'>()
export type Cents = z.infer<typeof Cents>

const hasAtMostTwoDecimals = z.refine<number>(
  (amount) => toCents(amount) !== null,
  'has more than two decimals',
)

/** Money on the wire: a JSON number, in requests with at most two decimals, in responses with exactly two (`8.00`). */
export const Money = z
  .number()
  .check(hasAtMostTwoDecimals)
  .describe("Money in the restaurant's currency: in requests at most two decimals, in responses always two.")
export type Money = z.infer<typeof Money>

/** Whether a schema is `Money`, with further checks and descriptions or without. */
export const isMoney = (schema: z.ZodNumber): boolean =>
  schema.def.checks?.includes(hasAtMostTwoDecimals) ?? false

/**
 * Cents of an amount on the wire, or null when it has more than two decimals or is out of range.
 * Exact: dividing by 100 gives the double nearest to the decimal, which is the double that JSON was read into.
 */
export function toCents(amount: number): Cents | null {
  const cents = Math.round(amount * 100)
  return Number.isSafeInteger(cents) && cents / 100 === amount ? (cents as Cents) : null
}

/** The amount on the wire of so many cents: 1075 is 10.75. */
export const toMoney = (cents: Cents): Money => cents / 100

/** Marks an integer as cents; for sums and products of cents, which the type system cannot follow. */
export const cents = (integer: number): Cents => integer as Cents

/** Time on the wire: Unix epoch, whole seconds. */
export const Epoch = z.int().describe('Unix time in whole seconds.')

export const Method = z.enum(['pickup', 'delivery']).meta({ id: 'Method' })
export type Method = z.infer<typeof Method>

export const Payment = z.enum(['cash', 'card']).meta({ id: 'Payment' })
export type Payment = z.infer<typeof Payment>

/** The seven of docs/specification.md, "Status values"; the order of them is `advance` in the orders service. */
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
      'Where the order is. It begins at `PROCESSING` and is with the restaurant from `AWAITING_PREPARATION` on; `DELIVERED` also says that it was handed over for pickup. A restaurant may skip steps, and one that reports coarsely says `PREPARING_AND_DELIVERING` for all between.',
  })
export type OrderStatus = z.infer<typeof OrderStatus>

export const PaymentState = z
  .enum(['NOT_REQUIRED', 'DUE', 'PENDING', 'AUTHORIZED', 'CHARGED', 'VOIDED', 'REFUNDED'])
  .meta({
    id: 'PaymentState',
    description:
      'Where the money is. `NOT_REQUIRED`: a test order, or a card order whose total is 0. `DUE`: cash, paid on receipt. `PENDING`: the card has not been asked yet. `AUTHORIZED`: held on the card. `CHARGED`: taken. `VOIDED` and `REFUNDED`: given back.',
  })
export type PaymentState = z.infer<typeof PaymentState>

// Line breaks and tabs are what people type into a comment; every other control character breaks
// logs, tickets or PostgreSQL (NUL is error 22021 there), and so does half of a surrogate pair.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/

/**
 * At most `max` characters, without invisible ones that reorder or control what is shown, trimmed. Refuses other control
 * characters and broken Unicode. The length comes first and aborts: each further check takes time that grows with it.
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
 * Text that a person typed, as `characters`. A card number in it is masked as soon as it is parsed, so that none is
 * stored, queued, printed or answered; bounds are of what was sent.
 */
export const text = (max: number) => characters(max).overwrite(maskCardNumbers)

const filled = (schema: z.ZodString) =>
  schema.refine((value) => value !== '', 'is empty').meta({ minLength: 1 })

/** As `text`, and not empty. */
export const filledText = (max: number) => filled(text(max))

/** As `filledText`, for what is often digits only, so that clients send a number: ZIP codes, telephone numbers. */
export const filledDigits = (max: number) => spelled('digits', filledText(max))

/** An e-mail address names somebody: it is kept as it is, or its owner could not sign in. */
export const emailAddress = () => filled(characters(200))

export const Latitude = z.number().min(-90).max(90).describe('Degrees north.')
export const Longitude = z.number().min(-180).max(180).describe('Degrees east; west is negative.')
export const Point = z.object({ latitude: Latitude, longitude: Longitude }).meta({ id: 'Point' })
export type Point = z.infer<typeof Point>
