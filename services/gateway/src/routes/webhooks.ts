import { Problem, Replicas, type App } from '@platter/kit'
import { passOn } from '#/pass-on.ts'

/** An event of Stripe's is some kilobytes, with a large object some tens. */
const BODY_LIMIT = 256 * 1024

/**
 * Stripe's events, to payments: the one path that needs no access key. Bytes and signature go on as they came,
 * for payments believes nothing that is not signed; nothing else of the request does. Without `paymentsUrls`
 * there is no such path.
 */
export function webhooks(app: App, paymentsUrls: readonly string[] | undefined): void {
  if (!paymentsUrls) return
  const payments = new Replicas(paymentsUrls)
  app.addHook('onClose', () => payments.close())
  app.route({
    method: 'POST',
    url: '/webhooks/stripe',
    bodyLimit: BODY_LIMIT,
    // Before the body is read: what is not even signed is not Stripe's.
    async onRequest({ headers }) {
      if (typeof headers['stripe-signature'] !== 'string')
        throw new Problem('invalid-field', 'The header Stripe-Signature is missing.')
    },
    handler: async (request, reply) =>
      passOn(payments, request, reply, {
        headers: {
          'x-request-id': request.id,
          'content-type': request.headers['content-type'] ?? 'application/json',
          'stripe-signature': String(request.headers['stripe-signature']),
        },
      }),
  })
}
