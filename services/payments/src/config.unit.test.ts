import { readConfig } from '@platter/kit'
import { expect, test } from 'vitest'
import { Config, processingOf } from '#/config.ts'

const read = (environment: Record<string, string>) =>
  processingOf(
    readConfig(Config, {
      NODE_ENV: 'development',
      PORT: '0',
      INTERNAL_SECRET: 's'.repeat(32),
      DATABASE_URL: 'postgres://localhost/x',
      AMQP_URL: 'amqp://localhost',
      REDIS_URL: 'redis://localhost',
      ...environment,
    }),
  )
const stripe = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
}

test('the development processor is what is chosen when nothing is', () => {
  expect(read({ PROCESSOR_URL: 'http://localhost:1' })).toEqual({
    kind: 'development',
    url: 'http://localhost:1',
  })
})

test('Stripe comes with its two secrets, its own address and dollars', () => {
  expect(read(stripe)).toEqual({
    kind: 'stripe',
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    url: 'https://api.stripe.com',
    currency: 'usd',
  })
})

test.each([
  [{}, 'PROCESSOR=development needs PROCESSOR_URL.'],
  [{ PROCESSOR: 'stripe' }, 'PROCESSOR=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.'],
  [{ ...stripe, STRIPE_SECRET_KEY: undefined }, 'PROCESSOR=stripe needs STRIPE_SECRET_KEY.'],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: undefined }, 'PROCESSOR=stripe needs STRIPE_WEBHOOK_SECRET.'],
  [{ ...stripe, STRIPE_SECRET_KEY: 'pk_live_1' }, 'STRIPE_SECRET_KEY: is no secret key of Stripe'],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: ' ' }, 'STRIPE_WEBHOOK_SECRET: is no signing secret'],
  [{ ...stripe, CURRENCY: 'USD' }, 'CURRENCY: is no ISO 4217 code'],
  [{ ...stripe, CURRENCY: 'jpy' }, 'CURRENCY: is no currency with two decimals'],
  [{ ...stripe, CURRENCY: 'kwd' }, 'CURRENCY: is no currency with two decimals'],
  [{ PROCESSOR: 'paypal' }, 'PROCESSOR'],
])('%j: the service does not start, and says why: %s', (environment, why) => {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined)
  expect(() => read(Object.fromEntries(given) as Record<string, string>)).toThrow(why)
})

test('what is said of a wrong secret does not quote it', () => {
  let said = ''
  try {
    read({ ...stripe, STRIPE_SECRET_KEY: 'mistyped secret' })
  } catch (error) {
    said = String(error)
  }
  expect(said).toContain('STRIPE_SECRET_KEY')
  expect(said).not.toContain('mistyped')
})
