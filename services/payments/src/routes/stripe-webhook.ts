import { Problem, readBytes, type App } from '@platter/kit'
import type { StripeEvent } from '#/outside/stripe-events.ts'

/** Stripe documents no limit. Its events have a few kilobytes; with a large object, tens of kilobytes. */
const BODY_LIMIT = 256 * 1024

type Deps = {
  /** Returns null for a body without a valid signature. */
  read: (body: Buffer, signature: string) => StripeEvent | null
  handle: (event: StripeEvent) => Promise<void>
}

/** The endpoint of the processor's events. It needs no access key: the signature over the unparsed bytes authenticates Stripe. */
export function stripeWebhook(app: App, path: '/webhooks/stripe' | '/webhooks/processor', deps: Deps): void {
  const { read, handle } = deps
  void app.register(async (scope) => {
    readBytes(scope)
    scope.post(path, { bodyLimit: BODY_LIMIT }, async ({ body, headers }) => {
      const signature = headers['stripe-signature']
      const event = Buffer.isBuffer(body) && typeof signature === 'string' ? read(body, signature) : null
      if (!event) throw new Problem('invalid-field', 'The signature does not match the body, or is too old.')
      await handle(event)
      return { received: true }
    })
  })
}
