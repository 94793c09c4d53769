import { Stripe } from 'stripe'
import { z } from 'zod'
import { Word } from '#/outside/processor.ts'

/** Older than that an event counts as replayed by somebody; seconds (reliability 4.6, O4). */
const TOLERANCE_SECONDS = 300

/** What is believed of an event: its name, and which intent is worth another look. Null: it is about none. */
export type StripeEvent = { id: string; type: string; intent: string | null }

const Event = z.object({
  id: z.string().regex(/^evt_\w+$/),
  type: Word,
  data: z.object({
    object: z.object({
      object: z.string(),
      id: z.string(),
      /** Of a charge or refund. */
      payment_intent: z.string().nullish(),
    }),
  }),
})

/** Reads events that are signed with the secret. Gives null for what is forged, replayed, altered or no event. */
export function createEventReader(secret: string) {
  return function read(body: Buffer, signature: string): StripeEvent | null {
    try {
      const { id, type, data } = Event.parse(
        Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS),
      )
      const { object } = data
      const intent = object.object === 'payment_intent' ? object.id : object.payment_intent
      return { id, type, intent: intent ?? null }
    } catch {
      // Which of the faults it was is of use to a forger only.
      return null
    }
  }
}
