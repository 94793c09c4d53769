import { randomBytes } from 'node:crypto'
import { StripeServer } from '../../services/payments/src/testing/stripe-server.ts'

export type TestStripe = Awaited<ReturnType<typeof startStripe>>

/** Starts the test server of Stripe for containers. Its secret key is as long as a real one. */
export async function startStripe() {
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`
  const server = new StripeServer(secretKey)
  const { port } = new URL(await server.listen('0.0.0.0'))
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
    port: Number(port),
    /** Returns the captures: the order of each, and its amount in cents. */
    captured: () => server.state.effects.filter(({ kind }) => kind === 'capture'),
    close: () => server.close(),
  }
}
