import { Problem, readBytes, type App } from '@platter/kit'
import type { StripeEvent } from '#/outside/stripe-events.ts'

/** Stripe names no bound; its events are a few kilobytes, and one with a large object some tens. */
const BODY_LIMIT = 256 * 1024

type Needs = {
  read: (body: Buffer, signature: string) => StripeEvent | null
  told: (event: StripeEvent) => Promise<void>
}

/**
 * Where Stripe tells what happened, through the gateway and without an access key: the signature over the
 * bytes as they came is the proof of who speaks.
 */
export function stripeWebhook(app: App, { read, told }: Needs): void {
  void app.register(async (scope) => {
    readBytes(scope)
    scope.post('/webhooks/stripe', { bodyLimit: BODY_LIMIT }, async ({ body, headers }) => {
      const signature = headers['stripe-signature']
      const event = Buffer.isBuffer(body) && typeof signature === 'string' ? read(body, signature) : null
      if (!event) throw new Problem('invalid-field', 'The signature does not fit the body, or is too old.')
      await told(event)
      return { received: true }
    })
  })
}
