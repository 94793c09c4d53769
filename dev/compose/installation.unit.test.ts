import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addedValues, answerFaults, installationFaults, isPublicName } from './installation.ts'

// Not as one word, which looks like a secret that was committed.
const random = randomBytes(12).toString('hex')
const answers = {
  DOMAIN: 'orders.bistro-aurora.com',
  TLS: 'acme',
  TLS_EMAIL: 'maria@bistro-aurora.com',
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: `sk_live_${random}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${random}`,
}
const complete = () => ({ ...answers, ...addedValues(answers).added })

test('accepts a public name with Stripe, and a private name with cash only', () => {
  expect(answerFaults(answers)).toEqual([])
  expect(answerFaults({ DOMAIN: 'platter.lan', TLS: 'internal', PROCESSOR: 'none' })).toEqual([])
})

test('accepts a private name with an ACME directory of the operator, and a CA_FILE', () => {
  const own = { ACME_DIRECTORY: 'https://ca.lan/acme/local/directory', CA_FILE: './ca.pem' }
  expect(answerFaults({ ...answers, ...own, DOMAIN: 'platter.lan' })).toEqual([])
  expect(answerFaults({ ...answers, CA_FILE: '/etc/ssl/company.pem' })).toEqual([])
})

test.each([
  ['a URL', { DOMAIN: 'https://orders.bistro-aurora.com' }, 'without https://'],
  ['capital letters', { DOMAIN: 'Orders.bistro-aurora.com' }, 'in lower case'],
  ['a domain that is reserved for documentation', { DOMAIN: 'orders.example.com' }, 'from documentation'],
  ['a private name with a public authority', { DOMAIN: 'platter.lan' }, 'TLS=internal'],
  ['an address with a public authority', { DOMAIN: '203.0.113.7' }, 'TLS=internal'],
  ['an unknown value of TLS', { TLS: 'none' }, 'TLS must be acme or internal'],
  ['no e-mail address', { TLS_EMAIL: undefined }, 'TLS_EMAIL is missing'],
  ['an e-mail address without a domain', { TLS_EMAIL: 'maria' }, 'your e-mail address'],
  ['an unknown processor', { PROCESSOR: 'development' }, 'stripe or none'],
  ['a publishable key', { STRIPE_SECRET_KEY: `pk_live_${random}` }, 'publishable'],
  [
    'the example key of the Stripe documentation',
    { STRIPE_SECRET_KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc' },
    'publicly known',
  ],
  ['an ACME directory without HTTPS', { ACME_DIRECTORY: 'http://ca.lan/directory' }, 'begins with https://'],
  [
    'an ACME directory with TLS=internal',
    { TLS: 'internal', ACME_DIRECTORY: 'https://ca.lan/directory' },
    'needs TLS=acme',
  ],
  ['a CA_FILE that Compose would read as a volume', { CA_FILE: 'ca.pem' }, 'begins with ./ or /'],
  ['a webhook secret with another prefix', { STRIPE_WEBHOOK_SECRET: 'sk_live_1' }, 'starts with whsec_'],
  [
    'a server without a password',
    { EXTERNAL_POSTGRES_URL: 'postgres://db/platter' },
    'must be a URL with a password',
  ],
])('refuses %s with one sentence', (_, changes, sentence) => {
  const faults = answerFaults({ ...answers, ...changes })
  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain(sentence)
  expect(faults[0]).toMatch(/^[A-Z_]+ .*\.$/)
})

test.each(['localhost', 'platter', 'platter.local', '10.0.0.7', 'a..b', 'platter.internal'])(
  'no public authority issues a certificate for %s',
  (name) => {
    expect(isPublicName(name)).toBe(false)
  },
)

describe('secrets', () => {
  test('a new installation has all secrets, with other values each time', () => {
    const [first, second] = [complete(), complete()]
    expect(installationFaults(first)).toEqual([])
    const secret = /SECRET|PASSWORD|PEPPER|PASSPHRASE|HASH/
    const made = [first, second].map((values) =>
      Object.entries(values).flatMap(([name, value]) =>
        secret.test(name) && !(name in answers) ? value : [],
      ),
    )
    expect(new Set(made.flat()).size).toBe(made.flat().length)
    expect(made.flat().length).toBeGreaterThan(25)
  })

  test('an upgrade adds only the missing secret, and no operator key', () => {
    const { REDIS_PASSWORD: _, ...older } = complete() as Record<string, string>
    const { added, operatorKey } = addedValues(older)
    expect(Object.keys(added)).toEqual(['REDIS_PASSWORD'])
    expect(operatorKey).toBeNull()
  })

  test.each([
    'INTERNAL_SECRET',
    'PASSWORD_PEPPER',
    'POSTGRES_PASSWORD',
    'ORDERS_RABBITMQ_PASSWORD',
    'OPERATOR_KEY_HASH',
  ])('an installation without %s has a fault that names it', (name) => {
    expect(installationFaults({ ...complete(), [name]: '' }).join()).toContain(name)
  })

  test('an installation with a publicly known secret, or without a server, has a fault that names it', () => {
    expect(installationFaults({ ...complete(), INTERNAL_SECRET: 'changeme' }).join()).toContain(
      'publicly known',
    )
    expect(installationFaults({ ...complete(), COMPOSE_PROFILES: 'postgres,redis' }).join()).toContain(
      'lacks rabbitmq',
    )
  })
})
