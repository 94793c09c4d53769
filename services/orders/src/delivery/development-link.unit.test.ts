import { createLog, Problem } from '@platter/kit'
import { describe, expect, test } from 'vitest'
import { isDevelopmentLink, refusingDevelopmentLinks, testRestaurants } from '#/delivery/development-link.ts'
import { putRestaurantLink } from '#/delivery/routes/put-restaurant-link.ts'
import { newOrder } from '#/domain/order-state.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const webhook = (secret: string) =>
  ({ kind: 'webhook', url: 'https://kitchen.example/', secret, reports: 'detailed' }) as const
/** The public secret of dev/simulators; tests/policy/known-secrets.test.ts checks that secret. */
const PUBLIC = `whsec_${Buffer.from('platter-development-only-secret!').toString('base64')}`
const SIMULATED = webhook(PUBLIC)
const OWN = webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr')
const CONSOLE = { kind: 'console', reports: 'detailed' } as const

test('the link of a simulated restaurant is recognised by its public secret', () => {
  expect([SIMULATED, OWN, CONSOLE].map(isDevelopmentLink)).toEqual([true, false, false])
})

async function transmitted(link: Parameters<typeof isDevelopmentLink>[0], isTest: boolean) {
  let sent = 0
  const transmit = refusingDevelopmentLinks(createLog('test', 'silent'), async () => {
    sent += 1
    return { kind: 'accepted' }
  })
  const order = newOrder('o1', pricedOrder({ test: isTest }), 1_790_000_000)
  const { kind } = await transmit(link, { webhookId: 'order_o1', order })
  return { kind, sent }
}

type Given = {
  isDevelopment: boolean
  isTest: boolean
  secret: string
  fault?: string
  validateOnly?: boolean
}

async function putLink(given: Given) {
  const stored: unknown[] = []
  const handle = putRestaurantLink({
    restaurantLinks: {
      find: async () => null,
      async put(_, link) {
        stored.push(link)
        return []
      },
    },
    outgoing: { faultOf: async () => given.fault ?? null },
    attendance: { begin: async () => undefined },
    isDevelopment: given.isDevelopment,
    isTestRestaurant: async () => given.isTest,
  })
  const body = webhook(given.secret)
  const query = { 'validate-only': given.validateOnly ?? false }
  const request = { params: { apiKey: 'r1' }, query, body } as Parameters<typeof handle>[0]
  let pointer: string | null = null
  try {
    await handle(request)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    pointer = error.faults[0]?.pointer ?? null
  }
  return { stored: stored.length, pointer }
}
describe('transmission outside development', () => {
  test.each([
    [
      'an order with a real payment never reaches a simulated restaurant',
      SIMULATED,
      false,
      { kind: 'refused', sent: 0 },
    ],
    ['a test order reaches a simulated restaurant', SIMULATED, true, { kind: 'accepted', sent: 1 }],
    ['an order reaches a webhook with a secret of its own', OWN, false, { kind: 'accepted', sent: 1 }],
    ['an order reaches a console', CONSOLE, false, { kind: 'accepted', sent: 1 }],
  ])('%s', async (_, link, isTest, result) => {
    expect(await transmitted(link, isTest)).toEqual(result)
  })
})

describe('put-restaurant-link', () => {
  const accepted = { stored: 1, pointer: null }
  const refused = { stored: 0, pointer: '/secret' }

  test.each([
    [
      'refuses a public secret for a live restaurant (400)',
      { isDevelopment: false, isTest: false, secret: PUBLIC },
      refused,
    ],
    [
      'accepts a public secret for a test restaurant',
      { isDevelopment: false, isTest: true, secret: PUBLIC },
      accepted,
    ],
    [
      'accepts a public secret in development',
      { isDevelopment: true, isTest: false, secret: PUBLIC },
      accepted,
    ],
    [
      'accepts a private secret for a live restaurant',
      { isDevelopment: false, isTest: false, secret: OWN.secret },
      accepted,
    ],
    [
      'refuses a URL that may not be called (400)',
      { isDevelopment: true, isTest: true, secret: OWN.secret, fault: 'is not https' },
      { stored: 0, pointer: '/url' },
    ],
    [
      'refuses a URL that may not be called also with validate-only (400)',
      {
        isDevelopment: true,
        isTest: true,
        secret: OWN.secret,
        fault: 'is not https',
        validateOnly: true,
      },
      { stored: 0, pointer: '/url' },
    ],
    [
      'stores nothing with validate-only',
      { isDevelopment: true, isTest: true, secret: OWN.secret, validateOnly: true },
      { stored: 0, pointer: null },
    ],
    [
      'leaves the check of a public secret to the storage, because the restaurant may not exist before',
      { isDevelopment: false, isTest: false, secret: PUBLIC, validateOnly: true },
      { stored: 0, pointer: null },
    ],
  ])('%s', async (_, given, result) => {
    expect(await putLink(given)).toEqual(result)
  })

  test.each([
    ['a test restaurant', ['restaurant-closed', 'test-restaurant-only'], true],
    ['a live restaurant', ['restaurant-closed'], false],
    ['an unknown restaurant', ['restaurant-not-found'], false],
  ] as const)('testRestaurants classifies %s by the codes of catalog.quote', async (_, codes, expected) => {
    const faults = codes.map((code) => ({ pointer: '', code, detail: '' }))
    const ask = async () => ({ faults, quote: null })
    expect(
      await testRestaurants({ ask } as unknown as Parameters<typeof testRestaurants>[0])('r1', {
        requestId: 'q',
      }),
    ).toBe(expected)
  })
})
