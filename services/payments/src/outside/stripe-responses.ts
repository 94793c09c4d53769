import { Cents, cents } from '@platter/contracts'
import { Stripe } from 'stripe'
import { z } from 'zod'
import type { ReadRefund } from '#/domain/charge-after-sale.ts'
import type {
  Challenge,
  Effect,
  FoundCharge,
  ProcessorResult,
  ReportedCharge,
} from '#/domain/processor-result.ts'
import { NoResponse } from '#/outside/bounded-http.ts'
import { Id, readable, Word, type CardDetails } from '#/outside/processor.ts'

/** The used fields of Stripe's objects. A response that does not match is unreadable. */
const Refusal = z.object({ code: z.string().optional(), decline_code: z.string().optional() })
const Charge = z.object({ status: Word, amount_refunded: Cents })
export const Intent = z.object({
  id: Id.startsWith('pi_'),
  object: z.literal('payment_intent'),
  status: Word,
  amount: Cents,
  amount_capturable: Cents,
  amount_received: Cents,
  currency: Word,
  metadata: z.record(z.string(), Word),
  last_payment_error: Refusal.nullable(),
  client_secret: z.string().nullish(),
  next_action: z
    .object({ type: Word, redirect_to_url: z.object({ url: z.string().nullable() }).nullish() })
    .nullish(),
  /** The id of the charge, or the charge itself with `expand`. */
  latest_charge: z.union([z.string(), Charge]).nullable(),
})
export type Intent = z.output<typeof Intent>
export const Method = z.object({
  id: Id.startsWith('pm_'),
  customer: z.string().nullish(),
  card: z
    .object({ brand: Word, last4: z.string().regex(/^\d{4}$/), exp_month: z.int(), exp_year: z.int() })
    .nullish(),
})
/** Throws Failed for a PaymentMethod of another type, such as `link`, which Stripe's library can create too. */
export function detailsOf({ card }: z.output<typeof Method>): CardDetails {
  if (!card) throw new Failed({ kind: 'no', code: 'not_a_card', declineCode: 'not_a_card' })
  return {
    brand: card.brand,
    lastFour: card.last4,
    expirationMonth: String(card.exp_month).padStart(2, '0'),
    expirationYear: String(card.exp_year % 100).padStart(2, '0'),
  }
}
export const Customer = z.object({ id: Id.startsWith('cus_') })
export const Refund = z.object({
  id: Id.startsWith('re_'),
  amount: Cents,
  currency: Word,
  payment_intent: Id,
  status: Word,
})

/** The metadata key of a refund whose value is the refund's `apiKey`. A refund from the Dashboard has none. */
export const REFUND = 'refundApiKey'

/** A status that is not final counts as pending (docs.stripe.com/api/refunds/object). */
export function refundStateOf(status: string | null): ReadRefund['state'] {
  if (status === 'failed' || status === 'canceled') return 'failed'
  return status === 'succeeded' ? 'done' : 'pending'
}

/** The metadata key of an intent whose value is the order's `apiKey`. */
export const ORDER = 'orderApiKey'

/**
 * Returns the charge of an intent with its charge expanded (docs.stripe.com/payments/paymentintents/lifecycle). Null: nothing was
 * authorized or declined. `unknown`: the outcome is not known to Stripe yet, or the status is not a known one.
 */
export function reportOf(intent: Intent, currency: string): ReportedCharge | 'unknown' | null {
  const report = reportedBy(intent)
  return report === null || report === 'unknown' || report.status === 'declined'
    ? report
    : { ...report, ...differenceOf(intent, currency) }
}

function reportedBy(intent: Intent): ReportedCharge | 'unknown' | null {
  const { id, status } = intent
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null
  switch (status) {
    case 'requires_capture':
      return { id, status: 'authorized', amount: intent.amount_capturable }
    case 'succeeded':
      return capturedCharge(intent, charge)
    case 'canceled':
      // An intent that was cancelled before it was authorized has no successful charge.
      return charge?.status === 'succeeded'
        ? { id, status: 'voided', amount: intent.amount }
        : declined(intent)
    case 'requires_payment_method':
    case 'requires_confirmation':
    case 'requires_action':
      return declined(intent)
    default:
      return 'unknown'
  }
}

function capturedCharge(
  { id, amount_received: amount }: Intent,
  charge: z.output<typeof Charge> | null,
): FoundCharge {
  const refunded = charge?.amount_refunded ?? cents(0)
  if (charge && refunded >= amount) return { id, status: 'refunded', amount: refunded }
  return { id, status: 'captured', amount, ...(refunded > 0 && { refunded }) }
}

const declined = ({ last_payment_error: error }: Intent): ReportedCharge | null =>
  error && { status: 'declined', ...codesOf(error) }

/**
 * Returns the challenge of an intent that awaits the customer; null if no client can complete it. An action of the type
 * `use_stripe_sdk` has no page of the bank: an app with Stripe's library completes it with the client secret. Its `url` is then the
 * return page.
 */
export function challengeOf(
  { id, client_secret, next_action }: Intent,
  page: string | null,
): Challenge | null {
  const isForLibrary = next_action?.type === 'use_stripe_sdk' && Boolean(client_secret)
  const url = next_action?.redirect_to_url?.url || (isForLibrary && page)
  if (!url) return null
  return { kind: 'challenge', id, url, ...(client_secret && { clientSecret: client_secret }) }
}

/** Describes a difference from the request, apart from the amount. */
export const differenceOf = ({ currency }: { currency: string }, ours: string): Pick<Effect, 'differs'> =>
  currency === ours ? {} : { differs: `the processor has the currency ${currency}, not ${ours}` }

/** A call without a successful response. */
export class Failed extends Error {
  readonly result: Failure
  /**
   * Stripe replays a 5xx under the idempotency key for a day, and rejects other values under it, for example after a change of the
   * configured return page (docs.stripe.com/api/idempotent_requests). The outcome must be looked up.
   */
  readonly isToBeLookedUp: boolean
  /** The response, possibly, to an earlier call under the key. Stripe replays a 4xx and a failed refund, even if its reason has ended. */
  readonly isReplayed: boolean
  /** The intent that the error contains. */
  readonly intent: { id: string; status: string } | null

  constructor(
    result: Failure,
    {
      isToBeLookedUp = false,
      isReplayed = false,
      intent = null,
    }: Partial<Pick<Failed, 'isToBeLookedUp' | 'isReplayed' | 'intent'>> = {},
  ) {
    super('a call to Stripe failed')
    this.result = result
    this.isToBeLookedUp = isToBeLookedUp
    this.isReplayed = isReplayed
    this.intent = intent
  }
}
type Failure = Exclude<ProcessorResult<unknown>, { kind: 'yes' }>

/** Returns the result of the calls in `work`; of the first failed one, if one fails. */
export const resultOf = <T>(work: () => Promise<T>): Promise<T | Failure> =>
  work().catch((error: unknown) => failedOf(error).result)

/** Stripe's codes that the domain distinguishes from `card_declined`. */
const OWN_CODES: Readonly<Record<string, string>> = {
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
}
/** The bank requires the cardholder's authentication, and the client cannot redirect its customer there. */
const AUTHENTICATION = /^(authentication_(required|not_handled)|payment_intent_authentication_failure)$/
export const AUTHENTICATION_REQUIRED = 'authentication_required'

/** Translates Stripe's two codes of a decline: the kind of decline, and the bank's code. */
export function codesOf({ code = '', decline_code = '' }: z.output<typeof Refusal>) {
  const word = readable(decline_code || code) || 'generic_decline'
  const declineCode = [word, code].some((one) => AUTHENTICATION.test(one)) ? AUTHENTICATION_REQUIRED : word
  return { code: OWN_CODES[word] ?? OWN_CODES[code] ?? 'card_declined', declineCode }
}

/** 4xx statuses that are not final. 409: a request with this key is in progress. 424: the bank is unavailable. */
const TRANSIENT_STATUSES = new Set([408, 409, 424, 425, 429])
const TRANSIENT_CODES = new Set(['idempotency_key_in_use', 'lock_timeout', 'rate_limit'])

/** Uses only the type, code, status and request id of the error: other fields may quote the request. */
export function failedOf(error: unknown): Failed {
  if (error instanceof Failed) return error
  if (!(error instanceof Stripe.errors.StripeError)) return new Failed(unexpected(placeOf(error)))
  const lost: unknown = error.detail
  if (lost instanceof NoResponse) return new Failed({ kind: 'unknown', reason: lost.message })
  const { type, code, statusCode = 0, requestId } = error
  const reason = readable([type, code, statusCode, requestId].filter((part) => part !== undefined).join(' '))
  const intent = Named.safeParse(error.payment_intent).data ?? null
  const isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  const isToBeLookedUp = (isReplayed && statusCode >= 500) || hasOtherValues(error)
  return new Failed(classify(error, reason), { isToBeLookedUp, isReplayed, intent })
}

/** Returns the name and the place of an error of this code, without its message, which may quote the request. */
const placeOf = (error: unknown): string =>
  error instanceof Error
    ? readable(`${error.name}${/\n +at .+/.exec(error.stack ?? '')?.[0] ?? ''}`)
    : 'unknown error'

/** The key was used with other values before. A 409 of this type means that the first request is in progress. */
const hasOtherValues = ({ rawType, statusCode }: Stripe.errors.StripeError): boolean =>
  rawType === 'idempotency_error' && statusCode === 400

const Named = z.object({ id: Id, status: Word })

function classify(error: Stripe.errors.StripeError, reason: string): Failure {
  const { statusCode = 0, rawType, code = 'invalid_request' } = error
  const unknown = { kind: 'unknown', reason } as const
  if (statusCode < 400 || statusCode >= 500) return unknown
  if (TRANSIENT_STATUSES.has(statusCode) || TRANSIENT_CODES.has(code)) return unknown
  if (hasOtherValues(error)) return { ...unknown, needsOperator: true }
  // Stripe checks the secret key before the request, so this does not reveal the outcome of an earlier attempt.
  if (statusCode === 401 || statusCode === 403) return { ...unknown, needsOperator: true }
  if (rawType === 'card_error') {
    return { kind: 'no', ...codesOf({ code: error.code, decline_code: error.decline_code }) }
  }
  if (rawType !== 'invalid_request_error') return unknown
  const word = readable(code)
  return { kind: 'no', code: word, declineCode: word }
}

const TOKEN = /^(cus_\w+):(pm_\w+)$/

/** Returns the id of the method alone if there is no Customer. */
export const tokenOf = (customer: string | null, method: string): string =>
  customer === null ? method : `${customer}:${method}`

/** Returns null for a token of another processor. */
export function cardOf(token: string): { customer: string; payment_method: string } | null {
  const [, customer, method] = TOKEN.exec(token) ?? []
  return customer !== undefined && method !== undefined ? { customer, payment_method: method } : null
}

/** The token belongs to another processor. */
export const noSuchToken = { kind: 'no', code: 'no_such_token', declineCode: 'no_such_token' } as const
export const refundFailed = { kind: 'no', code: 'refund_failed', declineCode: 'refund_failed' } as const

export const effectOf = ({ id, amount, differs }: FoundCharge): Effect => ({
  id,
  amount,
  ...(differs !== undefined && { differs }),
})

/** A response that Stripe does not document for the request; an operator must look at it. */
export const unexpected = (reason: string) => ({ kind: 'unknown', reason, needsOperator: true }) as const
