import { expect, test } from 'vitest'
import { maria, post, type Order, refusal, validate } from './client.ts'
import { aRestaurant, itemWithChoices, menuItem, newKey, salina } from './own-restaurant.ts'

/* All prices and faults of items: services/catalog/src/domain/quote-prices.unit.test.ts. */

test('an order has the prices of its items and choices, tax rounded half up, and their sum; or all faults', async () => {
  const sauces = [newKey(), newKey()].map((apiKey) => ({ apiKey, name: 'Sauce', price: 0.75 }))
  const pie = itemWithChoices(10.25, { group: 'Sauces', choices: sauces })
  const restaurantApiKey = await aRestaurant({ taxRate: 0.0825 }, [pie])
  const orderOf = (customizationChoices: readonly { apiKey: string }[]) => {
    const delivery = { method: 'delivery', address: salina, tip: 2.5, payment: 'cash', recipient: maria }
    const piece = { apiKey: pie.apiKey, customizationChoices }
    return { ...delivery, restaurantApiKey, items: [piece, piece] }
  }
  const choices = sauces.map(({ apiKey }) => ({ apiKey }))
  const { status, body } = await validate(orderOf(choices))
  expect(status).toBe(200)
  expect(body.items.map(({ basePrice, totalPrice }) => [basePrice, totalPrice])).toEqual([
    [10.25, 11.75],
    [10.25, 11.75],
  ])
  // 23.50 × 0.0825 is 1.93875.
  expect(body).toMatchObject({ subtotal: 23.5, tax: 1.94, tip: 2.5, deliveryPrice: 3.5, total: 31.44 })
  expect(await refusal(orderOf([...choices, { apiKey: 'none' }, ...choices]))).toEqual({
    status: 422,
    faults: [0, 1].flatMap((item) => [
      `customization-unknown /items/${item}/customizationChoices/2/apiKey`,
      `customization-limit /items/${item}/customizationChoices`,
    ]),
  })
})

// Delivery -------------------------------------------------------------------------------------------------

async function delivered(basePrice: number, restaurant: Record<string, unknown>) {
  const item = menuItem(basePrice)
  return post<Order>('validate-order', {
    restaurantApiKey: await aRestaurant(restaurant, [item]),
    items: [{ apiKey: item.apiKey }],
    payment: 'cash',
    recipient: maria,
    method: 'delivery',
    address: salina,
  })
}

const zone = () => ({ apiKey: newKey(), zips: ['67401'] })

test("delivery costs the zone's price, and is free from the restaurant's minFreeDelivery on", async () => {
  for (const [subtotal, deliveryPrice] of [
    [29.99, 9.75],
    [30, 0],
  ] as const) {
    const zones = [{ ...zone(), deliveryPrice: 9.75 }]
    expect((await delivered(subtotal, { zones, minFreeDelivery: 30 })).body.deliveryPrice).toBe(deliveryPrice)
  }
})

test("a zone's deliveryMin overrides the restaurant's, and an equal subtotal meets it", async () => {
  const [zones, others] = [zone(), zone()].map((one) => [{ ...one, deliveryMin: 12.5 }])
  expect((await delivered(12.5, { zones, deliveryMin: 99 })).status).toBe(200)
  expect(await delivered(12.49, { zones: others, deliveryMin: 0 })).toMatchObject({
    status: 422,
    body: { code: 'below-delivery-minimum', errors: [{ pointer: '/items' }] },
  })
})
