import type { Refusal } from '#/testing/stripe-parameters.ts'

/** An error response of Stripe. */
export class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export const invalid = (code: string, message: string, more: Partial<Refusal> = {}): Refused =>
  new Refused({ status: 400, type: 'invalid_request_error', code, message, ...more })
export const missing = (what: string, id: string, more: Partial<Refusal> = {}): Refused =>
  invalid('resource_missing', `No such ${what}: '${id}'`, more)

export const declinedWith = (words: { code: string; decline_code?: string }, intent?: unknown): Refused =>
  new Refused({
    status: 402,
    type: 'card_error',
    message: 'Your card was declined.',
    ...words,
    ...(intent !== undefined && { payment_intent: intent }),
  })

export const unexpectedState = (intent: { status: string }, done: string, allowed: string[]): Refused =>
  invalid(
    'payment_intent_unexpected_state',
    `This PaymentIntent could not be ${done} because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be ${done}: ${allowed.join(', ')}.`,
    { payment_intent: intent },
  )
