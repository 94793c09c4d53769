import { requestTimes } from '@platter/contracts'
import { ConcurrencyLimit, Deadline, Problem, Replicas, type App } from '@platter/kit'
import { badCredentials } from '#/bad-credentials.ts'
import { addressOf } from '#/client-address.ts'
import { passOn } from '#/pass-on.ts'

/** An event of Stripe's is some kilobytes, with a large object some tens. */
const BODY_LIMIT = 256 * 1024
/** Events that wait for payments, which takes some milliseconds for each. Stripe retries refused events. */
const AT_ONCE = 100

/** The events of Stripe, and of the development payment processor, which signs in the same way. */
const PATHS = ['/webhooks/stripe', '/webhooks/processor']

/**
 * Sends the processor's events on to payments, on the only paths without an access key. Payments verifies the signature, so the body and
 * the signature are sent unchanged, and nothing else is. An address with wrong signatures is limited, because each costs payments
 * a verification; correctly signed events are not. Without `paymentsUrls` the paths do not exist.
 */
export function webhooks(app: App, paymentsUrls: readonly string[] | undefined): void {
  if (!paymentsUrls) return
  const payments = new Replicas(paymentsUrls)
  const badSignatures = badCredentials('signature')
  const limit = new ConcurrencyLimit({ permits: AT_ONCE })
  app.addHook('onClose', () => payments.close())
  for (const url of PATHS) {
    app.route({
      method: 'POST',
      url,
      bodyLimit: BODY_LIMIT,
      // Before the body is read: an unsigned request is not from Stripe.
      async onRequest(request, { raw }) {
        if (typeof request.headers['stripe-signature'] !== 'string')
          throw new Problem('invalid-field', 'The header Stripe-Signature is missing.')
        await badSignatures.check(addressOf(request))
        const permit = limit.acquire()
        raw.once('close', () => permit.release())
      },
      async handler(request, reply) {
        await passOn(payments, request, reply, {
          method: 'POST',
          deadline: Deadline.in(requestTimes.deadline),
          headers: {
            'x-request-id': request.id,
            'content-type': request.headers['content-type'] ?? 'application/json',
            'stripe-signature': String(request.headers['stripe-signature']),
          },
        })
        if (reply.raw.statusCode === 400) await badSignatures.count(addressOf(request))
        return reply
      },
    })
  }
}
