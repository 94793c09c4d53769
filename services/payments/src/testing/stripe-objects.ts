import { brandOf } from '@platter/contracts'
import type { z } from 'zod'
import type { PARAMETERS } from '#/testing/stripe-parameters.ts'
import { missing } from '#/testing/stripe-refusals.ts'

export type Params<K extends keyof typeof PARAMETERS> = z.output<(typeof PARAMETERS)[K]>
type Charge = ReturnType<typeof newCharge>
export type Method = {
  id: string
  number: string
  /** The last four digits of the replacement card; null for the first card. */
  lastFour: string | null
  expiry: { exp_month: number; exp_year: number }
  billing: Params<'describe'>['billing_details']
  customer: string | null
  isUsed: boolean
  /** Whether it was detached from its Customer. */
  isDetached: boolean
}

let count = 0
export const newId = (prefix: string) => `${prefix}_${String(++count).padStart(14, '0')}`

/** Returns a list with the newest objects first. A copy, because responses are replayed. */
export function listOf<T extends { id: string; created: number }>(
  url: string,
  all: readonly T[],
  { created, limit = 10, starting_after: after }: PageParams,
) {
  const matching = all
    .filter((one) => !created || (one.created >= created.gte && one.created < created.lt))
    .toReversed()
  const from = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && from === 0) throw missing('object', after, { param: 'starting_after' })
  const data = structuredClone(matching.slice(from, from + limit))
  return { object: 'list', url, data, has_more: matching.length > from + limit }
}

type PageParams = {
  created?: { gte: number; lt: number } | undefined
  limit?: number | undefined
  starting_after?: string | undefined
}

export const newCharge = (status: 'succeeded' | 'failed', amount: number) => ({
  id: newId('ch'),
  object: 'charge' as const,
  status,
  amount,
  amount_refunded: 0,
  captured: false,
  refunded: false,
})

/**
 * docs.stripe.com/api/payment_intents/object, `next_action`: a page of the bank for an intent with a `return_url`; else an action for
 * Stripe's own library, whose content is not documented.
 */
export const nextActionOf = (id: string, return_url: string | undefined) =>
  return_url === undefined
    ? { type: 'use_stripe_sdk' as const, use_stripe_sdk: { type: 'three_d_secure_redirect' } }
    : {
        type: 'redirect_to_url' as const,
        redirect_to_url: { url: `https://hooks.stripe.com/redirect/authenticate/${id}`, return_url },
      }

export const newIntent = ({ amount, currency, customer, payment_method, metadata }: Params<'authorize'>) => ({
  id: newId('pi'),
  object: 'payment_intent' as const,
  amount,
  amount_capturable: 0,
  amount_received: 0,
  client_secret: newId('secret'),
  created: Math.floor(Date.now() / 1000),
  currency,
  customer: customer ?? null,
  last_payment_error: null as { type: 'card_error'; code: string; decline_code?: string } | null,
  latest_charge: null as Charge | null,
  livemode: false,
  metadata: metadata ?? {},
  next_action: null as ReturnType<typeof nextActionOf> | null,
  payment_method,
  payment_method_types: ['card'],
  status: 'requires_confirmation',
})

export const shownMethod = ({ id, number, lastFour, expiry, billing, customer }: Method) => ({
  id,
  object: 'payment_method',
  type: 'card',
  billing_details: billing ?? {},
  card: { brand: brandOf(number), last4: lastFour ?? number.slice(-4), ...expiry, fingerprint: 'f' },
  customer,
})
