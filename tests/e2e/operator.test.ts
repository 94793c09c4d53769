import { expect, test } from 'vitest'
import {
  cast,
  delivered,
  eventually,
  get,
  operator,
  sendOrder,
  maria,
  type MenuCategory,
  type Restaurant,
} from './client.ts'

const restaurant = {
  name: "Sam's Pies – 2nd & Main",
  streetAddress: '2 S Main St',
  city: 'Denver',
  state: 'CO',
  zip: '80227',
  latitude: 39.666141,
  longitude: -105.080677,
  phone: '(303) 555-0100',
  foodTypes: ['Pizza'],
  deliveryMin: 0,
  deliveryPrice: 3.5,
  minFreeDelivery: -1,
  taxRate: 0.08,
  acceptsCash: true,
  acceptsCard: true,
  offersPickup: true,
  offersDelivery: true,
  isTestRestaurant: false,
  minWaitTime: 45,
  maxWaitTime: 60,
  hours: Object.fromEntries(
    ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((day) => [
      day,
      ['12:00 AM - 12:00 AM'],
    ]),
  ),
  timezone: 'US/Mountain',
}

const newKey = () => crypto.randomUUID().replaceAll('-', '')

test('a restaurant and its menu go in, can be ordered from, and a changed menu is seen within 2 seconds', async () => {
  const apiKey = newKey()
  const item = { apiKey: newKey(), name: 'Cheese Pie', basePrice: 10.99 }
  const menu = [
    {
      apiKey: newKey(),
      name: 'Pies',
      items: [item, { apiKey: newKey(), name: 'Garlic Knots', basePrice: 3.99 }],
    },
  ]
  const put = await operator<Restaurant>('PUT', `restaurants/${apiKey}`, restaurant)
  expect(put).toMatchObject({ status: 200, body: { apiKey, name: restaurant.name, open: true } })
  expect((await operator('PUT', `restaurants/${apiKey}/menu`, menu)).status).toBe(200)

  const { status, body: order } = await sendOrder({
    restaurantApiKey: apiKey,
    items: menu[0]!.items.map((each) => ({ apiKey: each.apiKey })),
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
  })
  expect(status).toBe(200)
  // 14.98 × 8 % is 1.1984.
  expect(order).toMatchObject({ subtotal: 14.98, tax: 1.2, deliveryPrice: 0, total: 16.18 })
  expect((await delivered(order.apiKey)).at(-1)).toBe('DELIVERED')

  await operator('PUT', `restaurants/${apiKey}/menu`, [
    { ...menu[0]!, items: [{ ...item, basePrice: 12.5 }] },
  ])
  const changed = await eventually(
    async () => (await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)).body,
    ([category]) => category?.items[0]?.basePrice === 12.5,
    2_000,
  )
  expect(changed).toMatchObject([{ items: [{ basePrice: 12.5 }] }])
})

test('400: a menu with faults is refused as a whole, each fault by its pointer', async () => {
  const { status, body } = await operator<{ errors: { pointer: string }[] }>(
    'PUT',
    `restaurants/${cast.aurora}/menu`,
    [
      {
        apiKey: newKey(),
        name: '',
        items: [
          { apiKey: newKey(), name: 'Pie', basePrice: 1.999 },
          { name: 'Pie', basePrice: -1 },
        ],
      },
    ],
  )
  expect(status).toBe(400)
  expect(body.errors.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/0/items/0/basePrice',
    '/0/items/1/apiKey',
    '/0/items/1/basePrice',
    '/0/name',
  ])
  expect((await get<MenuCategory[]>(`restaurant/${cast.aurora}/menu`)).body.length).toBeGreaterThan(1)
})

test('403: an application key cannot change a restaurant', async () => {
  expect(
    await get(`../../operatorapi/v1/restaurants/${cast.aurora}`, { method: 'PUT', body: restaurant }),
  ).toMatchObject({
    status: 403,
    body: { code: 'not-allowed' },
  })
})
