import type { ProcessorResult } from '#/domain/processor-result.ts'
import type { CardDetails } from '#/outside/processor.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import {
  cardOf,
  detailsOf,
  Failed,
  failedOf,
  Method,
  noSuchToken,
  unexpected,
} from '#/outside/stripe-responses.ts'

/**
 * Detaches a PaymentMethod from its Customer, which Stripe never reverses. The Customer is kept: the look-up of an order lists its
 * intents, and it contains no data of the cardholder. Intents are not affected (docs.stripe.com/api/payment_methods/detach).
 *
 * There is no idempotency key: Stripe refuses a second detachment with an invalid_request_error without a code, so the
 * PaymentMethod is read after a refusal.
 */
export async function detachCard(client: StripeClient, token: string): Promise<ProcessorResult<unknown>> {
  const card = cardOf(token)
  if (!card) return noSuchToken
  const { customer, payment_method: id } = card
  const detached = await client.send(Method, (stripe) => stripe.paymentMethods.detach(id)).catch(failedOf)
  if (!(detached instanceof Failed)) return { kind: 'yes' }
  if (detached.result.kind === 'unknown') return detached.result
  const read = await client.send(Method, (stripe) => stripe.paymentMethods.retrieve(id))
  return read.customer === customer ? unexpected('a PaymentMethod cannot be detached') : { kind: 'yes' }
}

/**
 * Reads a card. Stripe updates a PaymentMethod in place if the bank replaces its card (docs.stripe.com/payments/cards/overview).
 */
export async function readCard(client: StripeClient, token: string): Promise<ProcessorResult<CardDetails>> {
  const card = cardOf(token)
  if (!card) return noSuchToken
  const read = await client.send(Method, (stripe) => stripe.paymentMethods.retrieve(card.payment_method))
  return { kind: 'yes', ...detailsOf(read) }
}
