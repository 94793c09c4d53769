import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { z } from 'zod'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import type { Card, Cardholder, ProcessorToken, SavedToken } from '#/outside/processor.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import { detailsOf, Method, Customer, tokenOf } from '#/outside/stripe-responses.ts'

type Method = z.output<typeof Method>

/** The maximum number of calls of one exchange. */
const MOST_CALLS = 3

/**
 * Exchanges a card for a PaymentMethod with a Customer. A PaymentMethod without a Customer could be charged only once.
 *
 * The first exchange consumes a processor token. Therefore its calls have idempotency keys that are derived from it: if a lost
 * exchange is repeated, it returns the same Customer. The billing details of a token are set afterwards, without a key, because a
 * client may correct them and repeat the request.
 */
export async function tokenize(
  client: StripeClient,
  card: Card | ProcessorToken,
  holder?: Cardholder,
): Promise<ProcessorResult<SavedToken>> {
  const options = { timeout: client.callWithinMs / MOST_CALLS }
  const isByToken = 'processorToken' in card
  const keyed = (call: string) =>
    isByToken ? { ...options, idempotencyKey: `${call}:${hashOf(card.processorToken)}` } : options
  const created = isByToken ? null : await ofNumber(client, { card, holder }, options)
  const id = created?.id ?? (await idOfToken(client, card as ProcessorToken, keyed('method')))
  const customer = await client.send(Customer, (stripe) =>
    stripe.customers.create({ payment_method: id }, keyed('customer')),
  )
  const method =
    created ??
    (await client.send(Method, (stripe) => stripe.paymentMethods.update(id, billing(holder), options)))
  return { kind: 'yes', token: tokenOf(customer.id, id), ...detailsOf(method) }
}

type Options = Stripe.RequestOptions

/**
 * Stripe.js returns a PaymentMethod (`pm_…`). Older clients and wallets create a token (`tok_…`), which is converted to a
 * PaymentMethod.
 */
async function idOfToken(
  client: StripeClient,
  { processorToken }: ProcessorToken,
  options: Options,
): Promise<string> {
  if (processorToken.startsWith('pm_')) return processorToken
  const { id } = await client.send(Method, (stripe) =>
    stripe.paymentMethods.create({ type: 'card', card: { token: processorToken } }, options),
  )
  return id
}

/**
 * Stripe accepts card numbers only from accounts with that permission (docs.stripe.com, "raw card data APIs"); other accounts
 * receive an invalid_request_error. A bank may already decline the card here.
 */
const ofNumber = (
  client: StripeClient,
  { card, holder }: { card: Card; holder: Cardholder | undefined },
  options: Options,
): Promise<Method> =>
  client.send(Method, (stripe) =>
    stripe.paymentMethods.create(
      {
        type: 'card',
        ...billing(holder),
        card: {
          number: card.cardNumber,
          cvc: card.cvv,
          exp_month: Number(card.expirationMonth),
          exp_year: 2000 + Number(card.expirationYear),
        },
      },
      options,
    ),
  )

/** Banks compare street and ZIP code with their own records (AVS). */
const billing = (holder: Cardholder | undefined) =>
  holder
    ? {
        billing_details: {
          name: holder.name,
          address: { line1: holder.street, postal_code: holder.zip },
        },
      }
    : {}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
