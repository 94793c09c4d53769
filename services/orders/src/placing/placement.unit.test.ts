import { cents, OrderRequest, requestTimes, type SendOrder, type TokenizedCard } from '@platter/contracts'
import { Deadline, type Call } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { PricedOrder } from '#/domain/order.ts'
import type { CheckedOrder } from '#/placing/check-order.ts'
import { newOrderOf, type Prepared } from '#/placing/placement.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const NOW = 1_790_000_000_500
const DEADLINE_MS = 9_750

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const savedCard = { apiKey: 'c1', token: 'tok_saved' } as TokenizedCard
const newCard = { apiKey: 'c2', token: 'tok_new' } as TokenizedCard
const address = { apiKey: null, streetAddress: '316 W Washington Ave' } as PricedOrder['details']['address']
const recheck = { restaurantApiKey: 'r1' } as CheckedOrder['recheck']
const scope = { accessKeyId: 'k1', path: '/publicapi/v1/send-order', key: 'k', fingerprint: 'f' }

type Given = { order?: Partial<PricedOrder>; body?: object } & Partial<
  Omit<CheckedOrder, 'order'> & Pick<Prepared, 'newCard'>
>

/** The rows of an order by card of the user u1, with a new address. */
function placement({ order, body = {}, newCard: exchanged = null, ...checked }: Given = {}) {
  const priced = pricedOrder({ payment: 'card', recipientApiKey: 'u1', ...order })
  const request = OrderRequest.parse({
    restaurantApiKey: 'r1',
    items: [{ apiKey: 'i1' }],
    method: 'pickup',
    payment: 'cash',
    recipient: { apiKey: 'u1' },
    ...body,
  })
  const call = {
    body: request,
    principal: { applicationId: 'app' },
    requestId: 'q1',
    deadline: Deadline.in(DEADLINE_MS),
    idempotency: scope,
  } as unknown as Call<typeof SendOrder>
  return newOrderOf(call, {
    apiKey: 'o1',
    newCard: exchanged,
    checked: {
      order: { ...priced, details: { ...priced.details, address } },
      savedCard: null,
      saves: { card: false, address: false },
      recheck,
      restaurantName: 'Aurora Slice House',
      ...checked,
    },
  })
}
const factsOf = (given: Given) => placement(given).saga.facts

test.each<[title: string, token: string | null, given: Given]>([
  ['a new card', 'tok_new', { newCard }],
  ['a saved card', 'tok_saved', { savedCard }],
  ['no card for an order in cash', null, { savedCard, order: { payment: 'cash' } }],
  ['no card for a test order', null, { savedCard, order: { test: true } }],
  ['no card for a total of 0', null, { savedCard, order: { total: cents(0) } }],
])('an order charges %s: the token is %s', (_, token, given) => {
  const facts = factsOf(given)
  expect(facts.token).toBe(token)
  expect(facts.total).toBe(given.order?.total ?? 1_075)
})

test('only a new card that the account has no equal of is saved', () => {
  expect(factsOf({ newCard, saves: { card: true, address: false } })).toMatchObject({
    newCard,
    userApiKey: 'u1',
  })
  expect(factsOf({ newCard })).toMatchObject({ newCard: null })
})

test('an address that is saved has its apiKey in the order and in the saga', () => {
  const { order, saga } = placement({ saves: { card: false, address: true } })
  expect(saga.facts.newAddress).toEqual({
    ...address,
    apiKey: expect.stringMatching(/^[0-9a-f]{48}$/) as string,
  })
  expect(order.details.address).toEqual(saga.facts.newAddress)
  const unsaved = placement()
  expect([unsaved.saga.facts.newAddress, unsaved.order.details.address]).toEqual([null, address])
})

test('the authentication of a client that can authenticate is in the facts of a charged order only', () => {
  const body = { canAuthenticate: true, returnUrl: 'https://app.example/back' }
  const authentication = { returnUrl: 'https://app.example/back' }
  expect(factsOf({ savedCard, body })).toMatchObject({
    authentication,
    recheck,
    restaurantName: 'Aurora Slice House',
  })
  expect(factsOf({ savedCard })).not.toHaveProperty('authentication')
  expect(factsOf({ body, order: { payment: 'cash' } })).not.toHaveProperty('authentication')
})

test('the rows have the time of the order, and of the latest response to its request', () => {
  const { order, saga, idempotency, applicationId } = placement()
  expect(order).toMatchObject({ apiKey: 'o1', datePlaced: 1_790_000_000, outcome: 'pending' })
  expect(saga).toMatchObject({ orderApiKey: 'o1', requestId: 'q1', version: 0 })
  expect(saga.facts.respondWithinMs).toBe(DEADLINE_MS - requestTimes.response)
  expect([applicationId, idempotency]).toEqual(['app', { scope, claimMs: DEADLINE_MS + 2_000 }])
})
