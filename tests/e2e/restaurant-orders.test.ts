import type { RestaurantOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import { anOrder, card, seedRestaurants, sendOrder, asRestaurant } from './client.ts'
import { aKitchen } from './own-restaurant.ts'

test('a new order has its status, comments, toCollect and recipient, but no card data', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.console)),
    payment: 'card',
    card: card(),
    comments: 'ring twice',
  })
  const { status, body } = await asRestaurant<RestaurantOrder[]>('orders?open=true')
  expect(status).toBe(200)
  const mine = body.find(({ apiKey }) => apiKey === order.apiKey)
  expect(mine).toMatchObject({
    status: 'AWAITING_PREPARATION',
    comments: 'ring twice',
    toCollect: 0,
    recipient: { firstName: 'Maria' },
  })
  expect(mine?.items.map(({ comments }) => comments)).toEqual([null, 'well done, please'])
  expect(JSON.stringify(mine)).not.toMatch(/lastFour|expiration|cardholder/)
})

test('orders are listed newest first, page by page', async () => {
  const { apiKey: restaurant, key } = await aKitchen()
  const placed: string[] = []
  for (let count = 0; count < 3; count++)
    placed.unshift((await sendOrder(await anOrder(restaurant))).body.apiKey)
  const first = await asRestaurant<RestaurantOrder[]>('orders?limit=2', undefined, key)
  expect(first.body.map(({ apiKey }) => apiKey)).toEqual(placed.slice(0, 2))
  const next = /^<\/restaurantapi\/v1\/(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await asRestaurant<RestaurantOrder[]>(next ?? '', undefined, key)
  expect(second.body[0]?.apiKey).toBe(placed[2])
})
