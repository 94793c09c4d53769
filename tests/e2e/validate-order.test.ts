import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  cast,
  get,
  home,
  ledger,
  plainItems,
  post,
  register,
  sendOrder,
  type Order,
  type User,
} from './client.ts'

test('200: the order as it would be placed, priced, and nothing stored, charged or transmitted', async () => {
  const user = await register()
  const request = {
    ...(await anOrder(cast.aurora)),
    payment: 'card',
    card: card(),
    recipient: { apiKey: user.apiKey },
  }
  const before = await ledger()
  const { status, body } = await post<Order>('validate-order', request)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    apiKey: null,
    id: null,
    datePlaced: null,
    card: { apiKey: null, lastFour: '4242' },
  })
  expect((await get<User>(`user/${user.apiKey}`)).body.creditCards).toEqual([])
  expect((await get<Order[]>(`user/${user.apiKey}/orders`)).body).toEqual([])
  const after = await ledger()
  expect(after.filter((line) => line.amount === Math.round(body.total * 100)).length).toBe(
    before.filter((line) => line.amount === Math.round(body.total * 100)).length,
  )
})

const prices = ({ subtotal, tax, tip, deliveryPrice, total }: Order) => ({
  subtotal,
  tax,
  tip,
  deliveryPrice,
  total,
})

test('200: it quotes exactly what send-order then charges', async () => {
  const request = { ...(await anOrder(cast.aurora)), method: 'delivery', address: home, tip: 2.25 }
  const { body: quoted } = await post<Order>('validate-order', request)
  const { body: placed } = await sendOrder(request)
  expect(prices(placed)).toEqual(prices(quoted))
})

test.each([
  [
    'method-not-offered',
    '/method',
    async () => ({ ...(await anOrder(cast.pickupOnly)), method: 'delivery', address: home }),
  ],
  [
    'payment-not-accepted',
    '/payment',
    async () => ({ ...(await anOrder(cast.cashOnly)), payment: 'card', card: card() }),
  ],
  ['tip-out-of-range', '/tip', async () => ({ ...(await anOrder(cast.aurora)), tip: 1 })],
  [
    'address-undeliverable',
    '/address',
    async () => ({
      ...(await anOrder(cast.aurora)),
      method: 'delivery',
      address: { ...home, city: 'Denver', state: 'CO', zip: '80227' },
    }),
  ],
  [
    'address-not-found-on-map',
    '/address',
    async () => ({
      ...(await anOrder(cast.aurora)),
      method: 'delivery',
      address: { ...home, city: 'Nowhere', state: 'ZZ', zip: '00000' },
    }),
  ],
  [
    'below-delivery-minimum',
    '/items',
    async () => ({
      ...(await anOrder(cast.aurora)),
      method: 'delivery',
      address: home,
      items: [{ apiKey: (await plainItems(cast.aurora)).at(-1)!.apiKey }],
    }),
  ],
])('422 %s at %s', async (code, pointer, order) => {
  const { status, body } = await post<{ errors: unknown[] }>('validate-order', await order())
  expect(status).toBe(422)
  expect(body.errors).toContainEqual(expect.objectContaining({ code, pointer }))
})

test("404: a stranger's user, card and address are not there", async () => {
  const [user, stranger] = await Promise.all([register(), register()])
  const { body: strangersCard } = await post<{ apiKey: string }>(`user/${stranger.apiKey}/add-card`, card())
  const { body: strangersAddress } = await post<{ apiKey: string }>(
    `user/${stranger.apiKey}/add-address`,
    home,
  )
  const { status, body } = await post<{ errors: unknown }>('validate-order', {
    ...(await anOrder(cast.aurora)),
    method: 'delivery',
    payment: 'card',
    card: { apiKey: strangersCard.apiKey },
    address: { apiKey: strangersAddress.apiKey },
    recipient: { apiKey: user.apiKey },
  })
  expect(status).toBe(404)
  expect(body.errors).toEqual([
    expect.objectContaining({ code: 'card-not-found', pointer: '/card/apiKey' }),
    expect.objectContaining({ code: 'address-not-found', pointer: '/address/apiKey' }),
  ])
})
