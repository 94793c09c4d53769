import { Stripe } from 'stripe'
import { z } from 'zod'
import { Word } from '#/outside/processor.ts'
import { ORDER, tokenOf } from '#/outside/stripe-responses.ts'

/** An older event counts as a replay attack; seconds. */
const TOLERANCE_SECONDS = 300

/**
 * The bank has replaced a card, which keeps its PaymentMethod. `payment_method.updated` differs: it reports each change of billing
 * details, which the exchange of a token causes.
 */
const REPLACED = 'payment_method.automatically_updated'

/** The used fields of an event: its id, and the intent to read from Stripe. Null for an event without an intent. */
export type StripeEvent = {
  id: string
  type: string
  intent: string | null
  /** The order in the metadata of an intent. */
  reference?: string | null
  /** The token of a card that its bank has replaced. */
  replacedCard?: string | null
}

const Event = z.object({
  id: z.string().regex(/^evt_\w+$/),
  type: Word,
  data: z.object({
    object: z.object({
      object: z.string(),
      /** Absent for some objects, such as `balance`. */
      id: z.string().default(''),
      /** Present on a charge, refund or dispute, in API versions since 2019-12-03. */
      payment_intent: z.string().nullish(),
      /** For a PaymentMethod; absent for tokens of the development processor. */
      customer: z.string().nullish(),
      metadata: z.record(z.string(), z.unknown()).nullish(),
    }),
  }),
})

type EventObject = z.output<typeof Event>['data']['object']

const cardOf = ({ object, customer = null, id }: EventObject): string | null =>
  object === 'payment_method' ? tokenOf(customer, id) : null

/** Returns a function that verifies and parses an event. It returns null for a forged, replayed, altered or unreadable one. */
export function createEventReader(secret: string) {
  return function read(body: Buffer, signature: string): StripeEvent | null {
    try {
      const { id, type, data } = Event.parse(
        Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS),
      )
      const { object } = data
      const intent = object.object === 'payment_intent' ? object.id : object.payment_intent
      const named = object.object === 'payment_intent' ? object.metadata?.[ORDER] : null
      const reference = typeof named === 'string' ? named : null
      const replacedCard = type === REPLACED ? cardOf(object) : null
      return { id, type, intent: intent ?? null, reference, replacedCard }
    } catch {
      // A description of the fault would only help a forger.
      return null
    }
  }
}
