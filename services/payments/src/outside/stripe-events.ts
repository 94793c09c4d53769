import { Stripe } from 'stripe'
import { z } from 'zod'
import { Word } from '#/outside/processor.ts'
import { ORDER } from '#/outside/stripe-responses.ts'

/** An older event counts as a replay attack; seconds. */
const TOLERANCE_SECONDS = 300

/** The fields of an event that are used: its id, and the intent to read from Stripe. Null: it is about no intent. */
export type StripeEvent = {
  id: string
  type: string
  intent: string | null
  /** The charge of an object without an intent, as in API versions before 2019-12-03. */
  charge?: string | null
  /** The order in the metadata of an intent. */
  reference?: string | null
}

const Event = z.object({
  id: z.string().regex(/^evt_\w+$/),
  type: Word,
  data: z.object({
    object: z.object({
      object: z.string(),
      id: z.string(),
      /** Present on a charge or refund. */
      payment_intent: z.string().nullish(),
      charge: z.string().nullish(),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
})

/** Returns a function that verifies and reads an event. It returns null for a forged, replayed, altered or unreadable one. */
export function createEventReader(secret: string) {
  return function read(body: Buffer, signature: string): StripeEvent | null {
    try {
      const { id, type, data } = Event.parse(
        Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS),
      )
      const { object } = data
      const intent = object.object === 'payment_intent' ? object.id : object.payment_intent
      const charge = intent ? null : object.object === 'charge' ? object.id : object.charge
      const named = object.object === 'payment_intent' ? object.metadata?.[ORDER] : null
      const reference = typeof named === 'string' ? named : null
      return { id, type, intent: intent ?? null, charge: charge ?? null, reference }
    } catch {
      // Naming the fault would only help a forger.
      return null
    }
  }
}
