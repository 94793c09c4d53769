import { Stripe } from 'stripe'
import { z } from 'zod'
import type { Answer, Told } from '#/domain/learn.ts'
import { Id, readable, Word } from '#/outside/processor.ts'
import { NoAnswer } from '#/outside/stripe-http.ts'

/** As much of Stripe's objects as is read; whatever does not fit is no answer (reliability 4.2, API10). */
const Refusal = z.object({ code: z.string().optional(), decline_code: z.string().optional() })
const Charge = z.object({ status: Word, amount_refunded: z.int() })
export const Intent = z.object({
  id: Id.startsWith('pi_'),
  object: z.literal('payment_intent'),
  status: Word,
  amount: z.int(),
  amount_capturable: z.int(),
  amount_received: z.int(),
  currency: Word,
  metadata: z.record(z.string(), Word),
  last_payment_error: Refusal.nullable(),
  /** The name of the charge, or the charge itself where it was asked for (`expand`). */
  latest_charge: z.union([z.string(), Charge]).nullable(),
})
export type Intent = z.output<typeof Intent>
export const IntentList = z.object({
  object: z.literal('list'),
  data: z.array(Intent),
  has_more: z.boolean(),
})
export const Method = z.object({
  id: Id.startsWith('pm_'),
  card: z.object({ brand: Word, last4: z.string().regex(/^\d{4}$/) }),
})
export const Owner = z.object({ id: Id.startsWith('cus_') })
export const Refund = z.object({
  id: Id.startsWith('re_'),
  amount: z.int(),
  currency: Word,
  payment_intent: Id,
  status: Word,
})

/** The metadata of an intent that names its order. */
export const ORDER = 'orderApiKey'

/**
 * What an intent comes to, its charge expanded (docs.stripe.com/payments/paymentintents/lifecycle). Null:
 * nothing was held, nothing declined. `unsettled`: Stripe itself does not know yet, or says what we do not know.
 */
export function toldOf(intent: Intent): Told | 'unsettled' | null {
  const { id, status } = intent
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null
  switch (status) {
    case 'requires_capture':
      return { id, status: 'authorized', amount: intent.amount_capturable }
    case 'succeeded': {
      const { amount_received: taken } = intent
      return charge && charge.amount_refunded >= taken
        ? { id, status: 'refunded', amount: charge.amount_refunded }
        : { id, status: 'captured', amount: taken }
    }
    case 'canceled':
      // Of one that was given up before anything was held there is no charge that succeeded.
      return charge?.status === 'succeeded'
        ? { id, status: 'voided', amount: intent.amount }
        : declined(intent)
    case 'requires_payment_method':
    case 'requires_confirmation':
    case 'requires_action':
      return declined(intent)
    default:
      return 'unsettled'
  }
}

const declined = ({ last_payment_error: error }: Intent): Told | null =>
  error && { status: 'declined', ...wordsOf(error) }

/** What is not as it was asked for, apart from the amount. `reference` is the order that was asked for, where it is known. */
export function differenceOf(
  {
    currency,
    metadata,
    reference,
  }: { currency: string; metadata?: Record<string, string>; reference?: string },
  ours: string,
): string | undefined {
  if (currency !== ours) return `the processor says ${currency}, ours is ${ours}`
  const named = metadata?.[ORDER]
  return reference === undefined || named === reference
    ? undefined
    : `the processor says it is of order ${named ?? 'nobody'}`
}

/** What an answer that is no success lets us know. */
export type Failed = {
  kind: 'failed'
  answer: Exclude<Answer<unknown>, { kind: 'yes' }>
  /**
   * A 5xx that Stripe has kept under the idempotency key: the key gives nothing else for a day
   * (docs.stripe.com/api/idempotent_requests), so what came of it has to be looked up.
   */
  isKept: boolean
  /** The intent that the error is about. */
  intent: { id: string; status: string } | null
}

/** Card errors whose code is not `card_declined` for us; the domain knows these two. */
const OWN_CODES: Readonly<Record<string, string>> = {
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
}
/** The bank wants to ask the card's owner, who has no way to be asked here. */
const WANTS_AUTHENTICATION = new Set(['authentication_required', 'authentication_not_handled'])
export const AUTHENTICATION_REQUIRED = 'authentication_required'

/** Stripe's two codes for a refused card, as ours: what kind of refusal, and the bank's word. */
export function wordsOf({ code = '', decline_code = '' }: z.output<typeof Refusal>) {
  const word = readable(decline_code || code) || 'generic_decline'
  const declineCode = [word, code].some((one) => WANTS_AUTHENTICATION.has(one))
    ? AUTHENTICATION_REQUIRED
    : word
  return { code: OWN_CODES[word] ?? OWN_CODES[code] ?? 'card_declined', declineCode }
}

/** 4xx statuses that speak of the moment; 409 is the same key still running, 424 a bank that could not be reached. */
const NOT_YET = new Set([408, 409, 424, 425, 429])
const NOT_YET_CODES = new Set(['idempotency_key_in_use', 'lock_timeout', 'rate_limit'])

/** Nothing of the error goes on but its type, code, status and request id: the rest may quote what was sent. */
export function failedOf(error: unknown): Failed {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return failed({
      kind: 'unknown',
      reason: error instanceof Error ? error.name : 'unknown error',
      sent: true,
    })
  }
  const lost: unknown = error.detail
  if (lost instanceof NoAnswer) return failed({ kind: 'unknown', reason: lost.reason, sent: lost.sent })
  const { type, code, statusCode = 0, requestId } = error
  const reason = readable([type, code, statusCode, requestId].filter((part) => part !== undefined).join(' '))
  const about = Named.safeParse(error.payment_intent).data ?? null
  const isKept = statusCode >= 500 && error.headers?.['idempotent-replayed'] === 'true'
  return { ...failed(meaningOf(error, reason)), isKept, intent: about }
}

const Named = z.object({ id: Id, status: Word })

export const failed = (answer: Failed['answer']): Failed => ({
  kind: 'failed',
  answer,
  isKept: false,
  intent: null,
})

function meaningOf(error: Stripe.errors.StripeError, reason: string): Failed['answer'] {
  const { statusCode = 0, rawType, code = 'invalid_request' } = error
  const unknown = { kind: 'unknown', reason, sent: true } as const
  if (statusCode < 400 || statusCode >= 500) return unknown
  if (NOT_YET.has(statusCode) || NOT_YET_CODES.has(code)) return unknown
  // The key was used with other values: what came of those is exactly what nobody can tell.
  if (rawType === 'idempotency_error') return { ...unknown, alarm: true }
  // Our key is refused before it is looked at what we want, so this tells nothing of an earlier attempt.
  if (statusCode === 401 || statusCode === 403) return { ...unknown, alarm: true }
  if (rawType === 'card_error') {
    return { kind: 'no', ...wordsOf({ code: error.code, decline_code: error.decline_code }) }
  }
  if (rawType !== 'invalid_request_error') return unknown
  const word = readable(code)
  return { kind: 'no', code: word, declineCode: word }
}
