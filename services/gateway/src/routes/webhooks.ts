import { requestTimes } from '@platter/contracts'
import { ConcurrencyLimit, Deadline, networkOf, Problem, type App, type Replicas } from '@platter/kit'
import { badCredentials } from '#/bad-credentials.ts'
import { addressOf } from '#/client-address.ts'
import { forwardRequest } from '#/forward.ts'

/** An event of Stripe has some kilobytes; with a large object, tens of kilobytes. */
const BODY_LIMIT = 256 * 1024
/**
 * The maximum number of concurrent events, with the arrival of their bodies. Payments needs some milliseconds for each. Stripe retries
 * rejected events. The client networks share the permits, because an unsigned body may take 15 s to arrive.
 */
const AT_ONCE = 100

/** The paths for events of Stripe, and of the development payment processor, which uses the same signature. */
const PATHS = ['/webhooks/stripe', '/webhooks/processor']

/**
 * Forwards the processor's events to payments, on the only paths without an access key. Payments verifies the signature, so the
 * body and the signature are forwarded unchanged, and nothing else. Wrong signatures are limited by address, because each costs
 * payments a verification; correctly signed events do not count.
 */
export function webhooks(app: App, payments: Replicas): void {
  const badSignatures = badCredentials('signature')
  const limit = new ConcurrencyLimit({ permits: AT_ONCE })
  for (const url of PATHS) {
    app.route({
      method: 'POST',
      url,
      bodyLimit: BODY_LIMIT,
      // Checked before the body is read: an unsigned request is not from Stripe.
      async onRequest(request, { raw }) {
        if (typeof request.headers['stripe-signature'] !== 'string')
          throw new Problem('invalid-field', 'The header Stripe-Signature is missing.')
        const address = addressOf(request)
        await badSignatures.check(address)
        const permit = limit.acquire(networkOf(address))
        raw.once('close', () => permit.release())
      },
      async handler(request, reply) {
        await forwardRequest(payments, request, reply, {
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
