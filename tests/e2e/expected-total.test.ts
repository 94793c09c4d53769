import type { ValidatedOrder } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  anOrder,
  card,
  authorizationsOf,
  register,
  get,
  post,
  sendOrder,
  type Order,
  validate,
} from './client.ts'
import { aRestaurant, menuItem, menuOf, putMenu } from './own-restaurant.ts'

type PriceChanged = { code: string; order: Order; errors: { pointer: string }[] }

test('409 price-changed with the new total if a price rises; no order or authorization is made', async () => {
  const item = menuItem(41.37)
  const restaurant = await aRestaurant({}, [item])
  const user = await register()
  const request = {
    ...(await anOrder(restaurant)),
    payment: 'card',
    card: card(),
    recipient: { apiKey: user.apiKey },
  }
  const { total: seen } = (await validate<ValidatedOrder>(request)).body
  await putMenu(restaurant, menuOf([{ ...item, basePrice: 43.91 }]))
  const headers = { 'idempotency-key': crypto.randomUUID() }

  const refused = await post<PriceChanged>('send-order', { ...request, expectedTotal: seen }, { headers })
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'price-changed', errors: [{ pointer: '/expectedTotal' }], order: { apiKey: null } },
  })
  const { total } = refused.body.order
  expect(total).toBeGreaterThan(seen)
  expect((await get<Order[]>(`user/${user.apiKey}/orders`)).body).toEqual([])
  expect(await authorizationsOf(total)).toEqual([])

  // The key is free, because the rejected request stored no response.
  const placed = await sendOrder({ ...request, expectedTotal: total }, { headers })
  expect(placed).toMatchObject({ status: 200, body: { total } })
})

test('without expectedTotal an order has the current prices', async () => {
  const item = menuItem(4)
  const restaurant = await aRestaurant({}, [item])
  const request = await anOrder(restaurant)
  await putMenu(restaurant, menuOf([{ ...item, basePrice: 5 }]))
  // The order has two of the item.
  expect(await sendOrder(request)).toMatchObject({ status: 200, body: { subtotal: 10 } })
})
