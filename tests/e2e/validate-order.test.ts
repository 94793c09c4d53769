import { ValidateOrder, type ValidatedOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  seedRestaurants,
  get,
  home,
  ledger,
  maria,
  plainItems,
  post,
  register,
  sendOrder,
  type Order,
  type User,
  expectConforms,
  only,
  refusal,
  validate,
} from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

type Refused = {
  code: string
  retryable: boolean
  errors: { pointer: string; code: string; detail: string }[]
}

test('200: the priced order, without a saved card, a stored order or an authorization', async () => {
  const user = await register()
  // No other test has a total of this price. The test searches the ledger of the processor by it.
  const restaurant = await aRestaurant({}, [menuItem(47.11)])
  const request = {
    ...(await anOrder(restaurant)),
    payment: 'card',
    card: card(),
    recipient: { apiKey: user.apiKey },
  }
  const { status, body } = await validate(request)
  expect(status).toBe(200)
  expectConforms(ValidateOrder, body)
  expect(body).toMatchObject({
    apiKey: null,
    id: null,
    datePlaced: null,
    status: 'PROCESSING',
    cancellation: null,
    card: { apiKey: null, lastFour: '4242', brand: 'visa' },
    recipientApiKey: user.apiKey,
  })
  expect(JSON.stringify(body)).not.toContain('4242424242424242')
  expect((await get<User>(`user/${user.apiKey}`)).body.creditCards).toEqual([])
  expect((await get<Order[]>(`user/${user.apiKey}/orders`)).body).toEqual([])
  expect(ledger().filter(({ amount }) => amount === Math.round(body.total * 100))).toEqual([])
})

test('200: the prices equal those of the same order by send-order', async () => {
  const request = { ...(await anOrder(seedRestaurants.aurora)), method: 'delivery', address: home, tip: 2.25 }
  const { body: quoted } = await validate(request)
  const { body: placed } = await sendOrder(request)
  const { warnings, ...order } = quoted as ValidatedOrder
  expect(warnings).toEqual([])
  const { apiKey: _1, id: _2, datePlaced: _3, status: _4, address: _5, ...same } = order
  expect(placed).toMatchObject(same)
})

test('200: a saved card, a saved address, and another name for this order', async () => {
  const user = await register()
  const [{ body: saved }, { body: address }] = await Promise.all([
    post<{ apiKey: string }>(`user/${user.apiKey}/add-card`, card()),
    post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, home),
  ])
  const { status, body } = await validate({
    ...(await anOrder(seedRestaurants.aurora)),
    method: 'delivery',
    payment: 'card',
    card: { apiKey: saved.apiKey },
    address: { apiKey: address.apiKey },
    recipient: { apiKey: user.apiKey, firstName: 'Mia', lastName: null, phone: '608-555-0199' },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    card: { apiKey: saved.apiKey, lastFour: '4242' },
    address: { apiKey: address.apiKey, streetAddress: home.streetAddress, zip: '53703' },
    recipient: { firstName: 'Mia', lastName: maria.lastName, phone: '608-555-0199', email: user.email },
  })
})

test("404 item-not-found: another restaurant's item, and each unknown one", async () => {
  const order = await anOrder(seedRestaurants.aurora)
  const foreign = (await plainItems(seedRestaurants.coarse))[0]!.apiKey
  const items = [{ apiKey: foreign }, ...(order['items'] as object[]), { apiKey: 'none' }]
  expect(await refusal({ ...order, items })).toEqual({
    status: 404,
    faults: ['item-not-found /items/0/apiKey', 'item-not-found /items/3/apiKey'],
  })
})

test('402 card-expired: a new card of a past year', async () => {
  const order = { ...(await anOrder(seedRestaurants.aurora)), payment: 'card' }
  expect(await refusal({ ...order, card: { ...card(), expirationYear: '20' } })).toEqual(
    only(402, 'card-expired /card/expirationYear'),
  )
})

test('a pickup-only restaurant refuses delivery before the check of the address (422)', async () => {
  const nowhere = { ...home, city: 'Nowhere', state: 'ZZ', zip: '00000' }
  expect(
    await refusal(await anOrder(seedRestaurants.pickupOnly, { method: 'delivery', address: nowhere })),
  ).toEqual(only(422, 'method-not-offered /method'))
})

test('a problem has all faults at once and the code of the first fault that is not retryable', async () => {
  const { body } = await validate<Refused>(
    await anOrder(seedRestaurants.closed, {
      payment: 'card',
      card: card(),
      test: true,
      items: [{ apiKey: 'none' }],
    }),
  )
  expect(body).toMatchObject({ code: 'not-a-test-restaurant', retryable: false })
  expect(body.errors.map(({ code }) => code)).toEqual([
    'restaurant-closed',
    'not-a-test-restaurant',
    'item-not-found',
  ])
})

const tipped = (tip: unknown) => anOrder(seedRestaurants.aurora, { method: 'delivery', address: home, tip })

test.each([-0.01, 50.01, 0.001, 1e15, '1.234'])('422 tip-out-of-range: %j', async (tip) => {
  expect(await refusal(await tipped(tip))).toEqual(only(422, 'tip-out-of-range /tip'))
})

test('a fault of the tip is returned together with the other faults of the order', async () => {
  const unknownItem = { ...(await tipped(-1)), items: [{ apiKey: 'none' }] }
  expect(await refusal(unknownItem)).toEqual({
    status: 404,
    faults: ['item-not-found /items/0/apiKey', 'tip-out-of-range /tip'],
  })
  // The items have prices, so the validation also finds a tip that is too large for them.
  expect(await refusal({ ...(await tipped(1_000)), test: true })).toEqual({
    status: 422,
    faults: ['not-a-test-restaurant /test', 'tip-out-of-range /tip'],
  })
})
