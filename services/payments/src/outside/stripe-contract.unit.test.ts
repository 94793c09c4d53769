import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALL_WITHIN_MS, IMPATIENT_MS, PROMISES, SLOW_MS, type World } from '#/testing/processor-contract.ts'
import { SECRET_KEY, StripeServer } from '#/testing/stripe-server.ts'
import { StripeProcessor } from '#/outside/stripe-processor.ts'

const server = new StripeServer()
let world: World

beforeAll(async () => {
  const returnUrl = 'https://platter.example/payment-return'
  const settings = { secretKey: SECRET_KEY, currency: 'usd', returnUrl, callWithinMs: CALL_WITHIN_MS }
  const url = await server.listen()
  world = {
    processor: new StripeProcessor({ ...settings, url }),
    impatient: new StripeProcessor({ ...settings, url, callWithinMs: IMPATIENT_MS }),
    unreachable: new StripeProcessor({ ...settings, url: 'http://127.0.0.1:1' }),
    fault: (fault, on) => server.fault(fault, on, SLOW_MS),
    clientToken: async ({ cardNumber: number, cvv: cvc, expirationMonth, expirationYear }) =>
      server.state.newClientToken({
        number,
        cvc,
        exp_month: Number(expirationMonth),
        exp_year: 2000 + Number(expirationYear),
      }),
    replaceCard: (token, { lastFour, expirationMonth, expirationYear }) =>
      server.state.replaceCard(token.split(':')[1] ?? '', lastFour, {
        exp_month: Number(expirationMonth),
        exp_year: 2000 + Number(expirationYear),
      }),
    after: (days, work) => server.after(days, work),
    endChallenge: (id, outcome) => server.state.endChallenge(id, outcome),
    effects: (reference) =>
      server.state.effects.filter((one) => one.reference === reference).map(({ kind }) => kind),
  }
})
afterAll(async () => {
  await Promise.all([world.processor, world.impatient, world.unreachable].map((one) => one.close()))
  await server.close()
})

describe('Stripe', () => {
  test.each(Object.entries(PROMISES))('%s', async (_title, promise) => {
    await expect(promise(world)).resolves.toBeUndefined()
  })
})
