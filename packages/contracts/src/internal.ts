import { z } from 'zod'
import { NewCard } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Principal } from '#/principal.ts'
import { LastFour } from '#/records.ts'
import { ApiKey, Cents, Epoch, Money } from '#/values.ts'

/** Endpoints between our own processes; the gateway routes none of them. */

/** Who does an access key belong to? By its SHA-256 (hex); the key itself stays in the gateway. */
export const ResolveAccessKey = operation({
  name: 'resolve-access-key',
  summary: 'Find out whom an access key belongs to',
  method: 'POST',
  path: '/internal/resolve-access-key',
  owner: 'accounts',
  admission: 'priority',
  body: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: z.object({ principal: Principal.nullable() }),
  problems: [],
})

/**
 * The hashes of all imported keys that are neither revoked nor expired. They have no checksum, so that the gateway tells
 * garbage by them. `known` is the version that the caller has: `hashes` is null when it is still the one.
 */
export const ImportedAccessKeys = operation({
  name: 'imported-access-keys',
  summary: 'Read the hashes of imported access keys',
  method: 'POST',
  path: '/internal/imported-access-keys',
  owner: 'accounts',
  admission: 'priority',
  body: z.object({ known: z.string().nullable() }),
  response: z.object({ version: z.string(), hashes: z.array(z.string()).nullable() }),
  problems: [],
})

/** Who shows a new card: what cards that are tried out are counted by. Null is nobody, or not known. */
export const CardUser = z.object({
  userApiKey: ApiKey.nullable(),
  applicationId: z.string().nullable(),
  /** The client's, as the gateway saw it. */
  address: z.string().nullable(),
})
export type CardUser = z.infer<typeof CardUser>

/** Exchanges a card number for the processor's token; the one way by which card numbers reach payments. */
export const Tokenize = operation({
  name: 'tokenize',
  summary: 'Exchange a card number for a token',
  method: 'POST',
  path: '/internal/tokenize',
  owner: 'payments',
  admission: 'priority',
  // Optional, as a replica of an older version does not say it.
  body: NewCard.extend({ by: CardUser.optional() }),
  response: z.object({ token: z.string(), brand: z.string(), lastFour: LastFour }),
  problems: [
    'card-declined',
    'card-expired',
    'cvc-failed',
    'payment-not-possible',
    'payment-unavailable',
    'rate-limited',
  ],
})

const toPayments = { method: 'POST', owner: 'payments', admission: 'priority' } as const

/** What the payment processor has: one charge of an order, from its hold to its end. Never a token. */
export const Charge = z.object({
  /** The processor's name for it. */
  id: z.string(),
  reference: ApiKey,
  status: z.enum(['authorized', 'captured', 'voided', 'refunded']),
  amount: Cents,
  /** What else of it was not asked for: another currency. */
  differs: z.string().optional(),
})
export type Charge = z.infer<typeof Charge>

/** What payments have of an order's money. Never a token. */
export const PaymentRow = z.object({
  orderApiKey: ApiKey,
  state: z.enum(['sent', 'authorized', 'captured', 'declined', 'voided', 'refunded', 'released']),
  amount: Cents.nullable(),
  processorId: z.string().nullable(),
})
export type PaymentRow = z.infer<typeof PaymentRow>

/** The money of one order, as the operator is told of it. Never a token. */
export const PaymentStory = z
  .object({
    state: PaymentRow.shape.state.describe(
      '`sent`: the processor was asked and has not answered yet. `released`: called off before it was ever sent.',
    ),
    amount: Money.nullable(),
    processorId: z.string().nullable().describe("The processor's name for the charge."),
    releaseRequested: Epoch.nullable().describe('Since then nothing may stay held or taken.'),
    refusal: z
      .object({ code: z.string(), declineCode: z.string() })
      .nullable()
      .describe('Why the processor declined.'),
    attempts: z
      .int()
      .describe('How often the processor was asked without a clear answer, and the one time that gave one.'),
    unknown: z
      .object({ call: z.string(), reason: z.string(), since: Epoch })
      .nullable()
      .describe('The call whose outcome is not known.'),
    created: Epoch,
    updated: Epoch,
  })
  .meta({ id: 'PaymentStory', description: "What became of an order's money. Never a token." })
export type PaymentStory = z.infer<typeof PaymentStory>

/** Everything that payments have of one order. */
export const ReadPaymentStory = operation({
  ...toPayments,
  name: 'read-payment-story',
  summary: 'Read what payments have of an order',
  path: '/internal/payment-story',
  body: z.object({ orderApiKey: ApiKey }),
  response: z.object({ payment: PaymentStory.nullable() }),
  problems: [],
})

/** As many orders as are compared at a time: 500 orders a round trip are 100,000 in a few seconds. */
export const BOOKS_AT_ONCE = 500

/** The rows of these orders, and those that were made from `from` to before `to`, whomever they are of. */
export const ReadPaymentRows = operation({
  ...toPayments,
  name: 'read-payment-rows',
  summary: 'Read rows of payments',
  path: '/internal/payment-rows',
  body: z.object({ orderApiKeys: z.array(ApiKey).max(BOOKS_AT_ONCE), from: Epoch, to: Epoch }),
  response: z.object({ rows: z.array(PaymentRow) }),
  problems: [],
})

/** What the processor has that was made from `from` to before `to`, by its own clock; the next page is `after`. */
export const ReadCharges = operation({
  ...toPayments,
  name: 'read-charges',
  summary: 'Read what the payment processor has of a time',
  path: '/internal/charges',
  body: z.object({ from: Epoch, to: Epoch, after: z.string().nullable() }),
  response: z.object({ charges: z.array(Charge), after: z.string().nullable() }),
  problems: ['payment-unavailable'],
})

/** One question each to the processor, so a few at a time. */
export const CHARGES_AT_ONCE = 40

/** What the processor has of these orders, whenever it was made. */
export const FindCharges = operation({
  ...toPayments,
  name: 'find-charges',
  summary: 'Find what the payment processor has of orders',
  path: '/internal/find-charges',
  body: z.object({ orderApiKeys: z.array(ApiKey).max(CHARGES_AT_ONCE) }),
  response: z.object({ charges: z.array(Charge) }),
  problems: ['payment-unavailable'],
})

/** Where a page of what needs a person begins: newest first, `at` in microseconds; '' sorts before every id. */
export const Before = z.object({ at: z.int(), id: ApiKey.or(z.literal('')) })
export type Before = z.infer<typeof Before>

/** Calls to the processor whose outcome has been unknown for so long, newest first. */
export const UnknownPayments = operation({
  ...toPayments,
  name: 'unknown-payments',
  summary: 'Read the payments whose outcome is not known',
  path: '/internal/unknown-payments',
  body: z.object({ olderThanMs: z.int(), before: Before.nullable(), limit: z.int() }),
  response: z.object({
    payments: z.array(
      z.object({
        orderApiKey: ApiKey,
        call: z.string(),
        reason: z.string(),
        answers: z.int(),
        /** Microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
  problems: [],
})

/** Asks the processor again what became of an order's payment; `known` when that is no longer open. */
export const AskPaymentAgain = operation({
  ...toPayments,
  name: 'ask-payment-again',
  summary: 'Ask the payment processor again',
  path: '/internal/ask-payment-again',
  body: z.object({ orderApiKey: ApiKey }),
  response: z.object({ found: z.boolean(), known: z.boolean() }),
  problems: [],
})
