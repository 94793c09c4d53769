import { acceptsRawCards, createLog, readConfig } from '@platter/kit'
import { expect, test, vi } from 'vitest'
import { Config, processorConfig } from '#/config.ts'
import { wire } from '#/wire.ts'

const configOf = (environment: Record<string, string>) =>
  readConfig(Config, {
    NODE_ENV: 'development',
    PORT: '0',
    INTERNAL_SECRET: 's'.repeat(32),
    DATABASE_URL: 'postgres://localhost/x',
    AMQP_URL: 'amqp://localhost',
    REDIS_URL: 'redis://localhost',
    ...environment,
  })
const read = (environment: Record<string, string>) => processorConfig(configOf(environment))
const stripe = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
}

test('the development processor is the default', () => {
  expect(read({ PROCESSOR_URL: 'http://localhost:1' })).toEqual({
    kind: 'development',
    url: 'http://localhost:1',
    publicUrl: 'http://localhost:1',
    webhookSecret: null,
    test: true,
  })
})

test('Stripe requires its two secrets; its URL and US dollars are defaults', () => {
  expect(read(stripe)).toEqual({
    kind: 'stripe',
    secretKey: 'sk_test_1',
    publishableKey: null,
    webhookSecret: 'whsec_1',
    returnUrl: null,
    url: 'https://api.stripe.com',
    currency: 'usd',
    test: true,
  })
})

test.each([
  ['sk_test_1', true],
  ['rk_test_1', true],
  ['sk_live_1', false],
  ['rk_live_1', false],
])('with the key %s, test is %s: whether Stripe charges no card', (STRIPE_SECRET_KEY, expected) => {
  expect(read({ ...stripe, STRIPE_SECRET_KEY })).toMatchObject({ test: expected })
})

test.each([
  ['warns of a test key', 'production', 'sk_test_1', 1],
  ['accepts a test key', 'development', 'sk_test_1', 0],
  ['accepts a live key', 'production', 'sk_live_1', 0],
] as const)('payments %s in %s', (_, NODE_ENV, STRIPE_SECRET_KEY, warnings) => {
  const log = createLog('payments', 'silent')
  const warn = vi.spyOn(log, 'warn')
  wire({ ...configOf({ ...stripe, STRIPE_SECRET_KEY }), NODE_ENV }, log)
  expect(warn).toHaveBeenCalledTimes(warnings)
})

test('PROCESSOR=none requires no other variable', () => {
  expect(read({ PROCESSOR: 'none' })).toEqual({ kind: 'none', test: false })
})

test.each([
  [{}, 'PROCESSOR=development requires PROCESSOR_URL.'],
  [{ PROCESSOR: 'stripe' }, 'PROCESSOR=stripe requires STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.'],
  [{ ...stripe, STRIPE_SECRET_KEY: undefined }, 'PROCESSOR=stripe requires STRIPE_SECRET_KEY.'],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: undefined }, 'PROCESSOR=stripe requires STRIPE_WEBHOOK_SECRET.'],
  [{ ...stripe, STRIPE_SECRET_KEY: 'pk_live_1' }, 'STRIPE_SECRET_KEY: is not a secret key of Stripe'],
  [{ ...stripe, STRIPE_WEBHOOK_SECRET: ' ' }, 'STRIPE_WEBHOOK_SECRET: is not a signing secret'],
  [{ ...stripe, CURRENCY: 'USD' }, 'CURRENCY: is not an ISO 4217 code'],
  [{ ...stripe, CURRENCY: 'jpy' }, 'CURRENCY: is not a currency with two decimals'],
  [{ ...stripe, CURRENCY: 'kwd' }, 'CURRENCY: is not a currency with two decimals'],
  [{ PROCESSOR: 'paypal' }, 'PROCESSOR'],
])('refuses the configuration %j with: %s', (environment, message) => {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined)
  expect(() => read(Object.fromEntries(given) as Record<string, string>)).toThrow(message)
})

test('the error about an invalid secret does not quote it', () => {
  let message = ''
  try {
    read({ ...stripe, STRIPE_SECRET_KEY: 'mistyped secret' })
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain('STRIPE_SECRET_KEY')
  expect(message).not.toContain('mistyped')
})

const accepts = (given: Record<string, string>) => acceptsRawCards(configOf(given))

test('by default, only the development processor accepts card numbers; RAW_CARDS overrides this', () => {
  expect(accepts({ PROCESSOR_URL: 'http://localhost:1' })).toBe(true)
  expect(accepts(stripe)).toBe(false)
  expect(accepts({ ...stripe, RAW_CARDS: 'accept' })).toBe(true)
  expect(accepts({ PROCESSOR_URL: 'http://localhost:1', RAW_CARDS: 'refuse' })).toBe(false)
})
