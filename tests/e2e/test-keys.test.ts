import { beforeAll, expect, test } from 'vitest'
import { keyed } from './accounts.ts'
import {
  anOrder,
  call,
  card,
  seedRestaurants,
  get,
  ledger,
  ledgerOf,
  operator,
  post,
  register,
  sendOrder,
  type Order,
  type ProblemBody,
  type Restaurant,
  type User,
} from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

/** The access keys of one application, one in mode test and one in mode live. */
let testKey: { id: string; key: string }
let liveKey: { id: string; key: string }

beforeAll(async () => {
  const { body } = await operator<{ id: string }>('POST', 'applications', { name: 'tried out' })
  const issue = async (mode: string) => {
    const issued = await operator<Issued>('POST', `applications/${body.id}/access-keys`, { mode })
    return { id: issued.body.id, key: issued.body.accessKey }
  }
  testKey = await issue('test')
  liveKey = await issue('live')
})

type Issued = { id: string; accessKey: string }
type Found = { restaurants: Restaurant[] }

const MADISON = 'street-address=2+E+Main+St,+Madison,+WI+53703'
const kindsFound = async (path: string, { key }: { key: string }) => {
  const { body } = await get<Found>(`${path}?${MADISON}`, { key })
  expect(body.restaurants.length).toBeGreaterThan(0)
  return [...new Set(body.restaurants.map(({ isTestRestaurant }) => isTestRestaurant))]
}

test('a test key finds only test restaurants in restaurant/search, a live key only live ones', async () => {
  for (let time = 0; time < 4; time++) {
    expect(await kindsFound('restaurant/search', testKey)).toEqual([true])
    expect(await kindsFound('restaurant/search', liveKey)).toEqual([false])
  }
  expect(await kindsFound('restaurant/search-test', testKey)).toEqual([true])
})

test.each(['absent', false, true])(
  'a test key with `test` %s places a test order without a charge',
  async (value) => {
    const paid = { payment: 'card', card: card() }
    const order = await anOrder(seedRestaurants.test, { ...paid, ...(value !== 'absent' && { test: value }) })
    const validated = await post<Order>('validate-order', order, { key: testKey.key })
    expect(validated).toMatchObject({ status: 200, body: { test: true, paymentState: 'NOT_REQUIRED' } })
    const { status, body } = await sendOrder(order, { key: testKey.key })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { test: true, paymentState: 'NOT_REQUIRED' },
    })
    expect(await ledgerOf(body.apiKey)).toEqual([])
  },
)

// No other order in the ledger has the total of two of these items.
test.each([
  ['validate-order', 3_456.78],
  ['send-order', 4_567.89],
])('422 test-key: %s at a live restaurant does not call the payment processor', async (path, price) => {
  const restaurant = await aRestaurant({ taxRate: 0 }, [menuItem(price)])
  const order = await anOrder(restaurant, { payment: 'card', card: card() })
  for (const changes of [{}, { test: false }, { test: true }])
    expect(await post<ProblemBody>(path, { ...order, ...changes }, { key: testKey.key })).toMatchObject({
      status: 422,
      body: { code: 'test-key', errors: [{ pointer: '/restaurantApiKey', code: 'test-key' }] },
    })
  const cents = Math.round(price * 200)
  expect(ledger().filter(({ amount }) => amount === cents)).toEqual([])
  const { status, body } = await sendOrder(order, { key: liveKey.key })
  expect(status).toBe(200)
  // The same order with a live key is charged this amount.
  await expect.poll(() => ledgerOf(body.apiKey)).toContainEqual(expect.objectContaining({ amount: cents }))
})

test('422 test-key: a test key cancels no live order of its application, a live key does', async () => {
  const order = await anOrder(seedRestaurants.console, { payment: 'card', card: card() })
  const { body: placed } = await sendOrder(order, { key: liveKey.key })
  const path = `order/${placed.apiKey}/cancel`
  for (const query of ['', '?validate-only=true'])
    expect(await post<ProblemBody>(path + query, {}, { key: testKey.key })).toMatchObject({
      status: 422,
      body: { code: 'test-key' },
    })
  expect((await get<Order>(`order/${placed.apiKey}`, { key: testKey.key })).body.cancellation).toBeNull()
  const cancelled = await post<Order>(path, {}, { key: liveKey.key })
  expect(cancelled.body.cancellation).toMatchObject({ cancelledBy: 'customer' })
})

test('a test key cancels a test order', async () => {
  const { body: placed } = await sendOrder(await anOrder(seedRestaurants.test), { key: testKey.key })
  const cancelled = await post<Order>(`order/${placed.apiKey}/cancel`, {}, { key: testKey.key })
  expect(cancelled).toMatchObject({ status: 200, body: { cancellation: { cancelledBy: 'customer' } } })
})

test('a test-key fault is returned together with the other faults of the order', async () => {
  const order = await anOrder(seedRestaurants.aurora, { items: [{ apiKey: 'nothing' }] })
  const { body } = await post<ProblemBody>('send-order', order, { key: testKey.key })
  expect(body.errors.map(({ code }) => code).toSorted()).toEqual(['item-not-found', 'test-key'])
})

test('a test key supports saved cards and Idempotency-Key, and a live key reads the saved card', async () => {
  const user = await register({ key: testKey.key })
  const added = await post<{ apiKey: string }>(`user/${user.apiKey}/add-card`, card(), { key: testKey.key })
  expect(added.status).toBe(200)
  const order = await anOrder(seedRestaurants.test, {
    payment: 'card',
    card: { apiKey: added.body.apiKey },
    recipient: { apiKey: user.apiKey },
  })
  const options = { key: testKey.key, ...keyed() }
  const first = await sendOrder(order, options)
  expect(first).toMatchObject({ status: 200, body: { test: true, card: { apiKey: added.body.apiKey } } })
  const again = await sendOrder(order, options)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
  expect(again.body).toEqual(first.body)
  expect(await ledgerOf(first.body.apiKey)).toEqual([])
  const read = await get<User>(`user/${user.apiKey}`, { key: liveKey.key })
  expect(read.body.creditCards.map(({ apiKey }) => apiKey)).toEqual([added.body.apiKey])
})

test('a rotated test key is a test key', async () => {
  const { body } = await operator<Issued>('POST', `access-keys/${testKey.id}/rotate`, { overlapMinutes: 60 })
  expect(await kindsFound('restaurant/search', { key: body.accessKey })).toEqual([true])
})

test('a restaurant key in mode test reads its live restaurant', async () => {
  const restaurant = await aRestaurant()
  const { body } = await operator<Issued>('POST', `restaurants/${restaurant}/access-keys`, { mode: 'test' })
  const own = await call<Restaurant>('/restaurantapi/v1/restaurant', { key: body.accessKey })
  expect(own).toMatchObject({ status: 200, body: { apiKey: restaurant, isTestRestaurant: false } })
})
