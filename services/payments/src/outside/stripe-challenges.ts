import type { Authentication } from '@platter/contracts'
import type { Challenge, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import {
  AUTHENTICATION_REQUIRED,
  challengeOf,
  codesOf,
  Failed,
  failedOf,
  Intent,
  reportOf,
  unexpected,
} from '#/outside/stripe-responses.ts'

/** Returns the page to which the bank redirects the customer. `returnUrl` is for clients without a page of their own. */
export const pageOf = (authentication: Authentication | undefined, returnUrl: string | null): string | null =>
  authentication ? (authentication.returnUrl ?? returnUrl) : null

/** A bank may decline a card after its customer has authenticated. */
const refusedBy = (decline: Intent['last_payment_error']) =>
  ({ kind: 'no', ...codesOf(decline ?? { code: AUTHENTICATION_REQUIRED }) }) as const

/** Cancels an intent that awaits authentication, so that it can never be completed. */
export async function cancelChallenge(
  client: StripeClient,
  id: string,
  decline: Intent['last_payment_error'] = null,
): Promise<ProcessorResult<never>> {
  const cancelled = await client.send(Intent, (stripe) => stripe.paymentIntents.cancel(id)).catch(failedOf)
  const intent = cancelled instanceof Failed ? cancelled.intent : cancelled
  if (intent?.status === 'canceled') return refusedBy(decline)
  if (cancelled instanceof Failed && cancelled.result.kind === 'unknown') return cancelled.result
  return unexpected('an intent cannot be cancelled')
}

/**
 * Looks up an intent that awaited its customer. After a failed authentication, Stripe keeps the intent open: a client with its
 * secret could confirm it with another card. Therefore it is cancelled.
 */
export async function checkChallenge(
  client: StripeClient,
  { id, page, currency }: { id: string; page: string | null; currency: string },
): Promise<ProcessorResult<FoundCharge> | Challenge> {
  const read = await client.send(Intent, (stripe) =>
    stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
  )
  const { status, last_payment_error: decline } = read
  const challenge = status === 'requires_action' ? challengeOf(read, page) : null
  if (challenge) return challenge
  if (status.startsWith('requires_') && status !== 'requires_capture')
    return cancelChallenge(client, id, decline)
  const report = reportOf(read, currency)
  if (report === 'unknown') return unexpected(`an intent is ${status}`)
  if (!report || report.status === 'declined') return refusedBy(decline)
  return { kind: 'yes', ...report }
}
