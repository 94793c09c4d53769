import { expect, test } from 'vitest'
import wingspan from '../../dev/seed/restaurants/wingspan-kitchen.json' with { type: 'json' }
import { anOrder, card, seedRestaurants, home, plainItems, only, refusal, validate } from './client.ts'

const deliveryTo = async (restaurantApiKey: string, address: object) => {
  const [item] = await plainItems(restaurantApiKey)
  const items = Array.from({ length: 6 }, () => ({ apiKey: item!.apiKey }))
  return anOrder(restaurantApiKey, { method: 'delivery', payment: 'card', card: card(), address, items })
}
const zip = (code: string) => ({ ...home, zip: code })

test.each([
  ['inside the radius is accepted', seedRestaurants.aurora, zip('53703'), 200],
  [
    'outside the radius gets 422',
    seedRestaurants.aurora,
    { ...home, city: 'Sun Prairie', zip: '53590' },
    422,
  ],
  ['on the ZIP list is accepted', seedRestaurants.coarse, zip('53714'), 200],
  ['on the ZIP list as ZIP+4 is accepted', seedRestaurants.coarse, zip('53714-2201'), 200],
  ['not on the ZIP list gets 422', seedRestaurants.coarse, { ...home, city: 'Middleton', zip: '53562' }, 422],
  ['inside the polygon is accepted', wingspan.restaurant.apiKey, zip('53703'), 200],
  ['on the campus, a hole of the polygon, gets 422', wingspan.restaurant.apiKey, zip('53706'), 422],
  ['in University Heights, the same hole, gets 422', wingspan.restaurant.apiKey, zip('53726'), 422],
  [
    'outside the polygon gets 422',
    wingspan.restaurant.apiKey,
    { ...home, city: 'Sun Prairie', zip: '53590' },
    422,
  ],
])('an address %s', async (_, apiKey, address, status) => {
  expect(await refusal(await deliveryTo(apiKey, address))).toEqual(
    status === 200 ? { status, faults: [] } : only(status, 'address-undeliverable /address'),
  )
})

test('the response has the coordinates of the address', async () => {
  const { body } = await validate(await deliveryTo(seedRestaurants.aurora, zip('53703')))
  expect(body.address?.latitude).toBeCloseTo(43.07, 1)
  expect(body.address?.longitude).toBeCloseTo(-89.38, 1)
})
