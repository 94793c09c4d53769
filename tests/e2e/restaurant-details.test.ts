import { RestaurantDetails } from '@platter/contracts'
import { expect, test } from 'vitest'
import wingspan from '../../dev/seed/restaurants/wingspan-kitchen.json' with { type: 'json' }
import lakefold from '../../dev/seed/restaurants/lakefold-sushi.json' with { type: 'json' }
import { seedRestaurants, get, type Restaurant, expectConforms } from './client.ts'
import { aRestaurant, putRestaurant, restaurantInput } from './own-restaurant.ts'

type Refused = { code: string; errors: { pointer: string }[] }

const details = <T = Restaurant>(apiKey: string, query: Record<string, string> = {}) =>
  get<T>(`restaurant/${apiKey}?${new URLSearchParams(query).toString()}`)
const deliveryTo = async (apiKey: string, query: Record<string, string>) => {
  const { offersDelivery, deliveryMin, deliveryPrice } = (await details(apiKey, query)).body
  return { offersDelivery, deliveryMin, deliveryPrice }
}
const at = (latitude: number, longitude: number) => ({
  latitude: String(latitude),
  longitude: String(longitude),
})
const zip = (code: string) => ({ 'street-address': `1 Any St, Madison, WI ${code}` })

test('200: the stored restaurant with its zones, and whether it is open', async () => {
  const { restaurant } = wingspan
  const { status, body } = await details(restaurant.apiKey)
  expect(status).toBe(200)
  expectConforms(RestaurantDetails, body)
  // The seed's `requireAttendance` is for operators only.
  const { requireAttendance: _, ...rest } = restaurant as typeof restaurant & { requireAttendance?: boolean }
  const record = { ...rest, open: true, customerCancelMinutes: 5 }
  expect(body).toEqual({ ...record, restaurant: record })
})

test('200: a closed restaurant with open: false', async () => {
  expect((await details(seedRestaurants.closed)).body.open).toBe(false)
})

test('200: the days of hours from Monday on, and prices, the tax rate and wait times as numbers', async () => {
  const { body } = await details(seedRestaurants.aurora)
  expect(Object.keys(body.hours)).toEqual([
    'Monday',
    'Tuesday',
    'Wednesday',
    'Thursday',
    'Friday',
    'Saturday',
    'Sunday',
  ])
  expect(body).toMatchObject({
    minFreeDelivery: 25,
    taxRate: 0.055,
    deliveryPrice: 2.99,
    minWaitTime: 25,
    maxWaitTime: 40,
  })
})

// Delivery zone of an address ------------------------------------------------------------------------------

const NOT_FREE = { offersDelivery: true, deliveryMin: 12, deliveryPrice: 1.95 }

test.each([
  ['a request without a place', seedRestaurants.coarse, {}, NOT_FREE],
  ['a ZIP code on a list', seedRestaurants.coarse, zip('53706'), NOT_FREE],
  [
    'a ZIP code on another list, at another price',
    seedRestaurants.coarse,
    zip('53714'),
    { offersDelivery: true, deliveryMin: 20, deliveryPrice: 4.45 },
  ],
  [
    'a place in the inner of two rings',
    lakefold.restaurant.apiKey,
    at(43.0737, -89.331),
    { offersDelivery: true, deliveryMin: 15, deliveryPrice: 1.95 },
  ],
  [
    'a place in a polygon',
    wingspan.restaurant.apiKey,
    at(43.0843, -89.3702),
    { offersDelivery: true, deliveryMin: 14, deliveryPrice: 3.25 },
  ],
  [
    'a place in the hole of a polygon',
    wingspan.restaurant.apiKey,
    at(43.075, -89.415),
    { offersDelivery: false },
  ],
  [
    'a restaurant that does not deliver',
    seedRestaurants.pickupOnly,
    at(43.0937, -89.346),
    { offersDelivery: false },
  ],
])('200: the delivery terms for %s', async (_, apiKey, query, terms) => {
  expect(await deliveryTo(apiKey, query)).toMatchObject(terms)
})

test('200: a new name of the restaurant appears at once', async () => {
  const apiKey = await aRestaurant()
  await putRestaurant(apiKey, { ...restaurantInput, name: 'Another Name' })
  expect((await details(apiKey)).body.name).toBe('Another Name')
})

// Rejections -----------------------------------------------------------------------------------------------

test.each(['none', '9511054', '0'.repeat(48)])('404 restaurant-not-found: %s', async (apiKey) => {
  expect(await details(apiKey)).toMatchObject({ status: 404, body: { code: 'restaurant-not-found' } })
})

test.each(['a%20b', '%00', '%F0%9F%8D%95', "'%20or%201=1--", '%2e%2e%2f', 'a'.repeat(101)])(
  '400 invalid-field: an apiKey of %s',
  async (apiKey) => {
    expect(await details<Refused>(apiKey)).toMatchObject({
      status: 400,
      body: { code: 'invalid-field', errors: [{ pointer: 'path/apiKey' }] },
    })
  },
)

test('200: an address that is not on the map is ignored', async () => {
  const plain = await details(seedRestaurants.aurora)
  expect(await details(seedRestaurants.aurora, { 'street-address': 'Nowhere, ZZ 00000' })).toMatchObject({
    status: 200,
    body: plain.body,
  })
})

test.each([{ latitude: '43.07' }, { longitude: '-89.38' }])(
  '200: a lone %j is ignored, with and without an address',
  async (half) => {
    const plain = await details(seedRestaurants.aurora)
    expect(await details(seedRestaurants.aurora, half)).toMatchObject({ status: 200, body: plain.body })
    const { offersDelivery } = (await details(seedRestaurants.aurora, { ...half, ...zip('90210') })).body
    expect(offersDelivery).toBe(false)
  },
)

test('400: a latitude of 91 and a longitude that is not a number', async () => {
  expect(await details(seedRestaurants.aurora, { latitude: '91', longitude: 'west' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'query/latitude' }, { pointer: 'query/longitude' }] },
  })
})
