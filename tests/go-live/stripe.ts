import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from 'node:crypto'
import { SECRET_KEY, StripeServer } from '../../services/payments/src/testing/stripe-server.ts'

/** Starts the test server of Stripe for containers. It listens on all addresses, and its secret key is as long as a real one. */
export async function startStripe() {
  const server = new StripeServer()
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`
  const target = new URL(await server.listen())
  const proxy = createServer((incoming, outgoing) => {
    const isKnown = incoming.headers.authorization === `Bearer ${secretKey}`
    const authorization = `Bearer ${isKnown ? SECRET_KEY : 'unknown'}`
    const forwarded = request(
      {
        host: target.hostname,
        port: target.port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, host: target.host, authorization },
      },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers)
        response.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '0.0.0.0', resolve))
  return {
    secretKey,
    /** The answers for set-up. */
    answers: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(16).toString('hex')}`,
    },
    /** Creates a token like an app with the publishable key. Its exchange may be repeated. */
    cardToken: server.state.newClientToken({
      number: '4242424242424242',
      cvc: '123',
      exp_month: 12,
      exp_year: 2034,
    }),
    port: (proxy.address() as AddressInfo).port,
    /** Returns the captured amounts in cents, by order. */
    captured: () =>
      server.state.effects
        .filter(({ kind }) => kind === 'capture')
        .map(({ reference, amount }) => ({ reference, amount })),
    async close() {
      proxy.closeAllConnections()
      proxy.close()
      await server.close()
    },
  }
}

export type TestStripe = Awaited<ReturnType<typeof startStripe>>
