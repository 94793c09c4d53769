import { RestaurantSearchTest, type Point } from '@platter/contracts'
import { expect, test } from 'vitest'
import { seedRestaurants, get, type Restaurant, expectConforms } from './client.ts'
import { aRestaurant } from './own-restaurant.ts'

type Found = { address: { zip: string }; restaurants: Restaurant[] }

const search = (query = '') => get<Found>(`restaurant/search-test?${query}`)

test('200: test restaurants only', async () => {
  const { status, body } = await search('limit=200')
  expect(status).toBe(200)
  expectConforms(RestaurantSearchTest, body)
  expect(body.restaurants.map(({ apiKey }) => apiKey)).toEqual(
    expect.arrayContaining([seedRestaurants.test, seedRestaurants.testCoarse]),
  )
  expect(body.restaurants.filter(({ isTestRestaurant }) => !isTestRestaurant)).toEqual([])
})

test('200: street-address, search and limit work as in restaurant/search', async () => {
  const near = await search('street-address=Madison,+WI+53703&method=delivery&search=%5Bdeli%5D')
  expect(near.body.address.zip).toBe('53703')
  expect(near.body.restaurants.map(({ apiKey }) => apiKey)).toContain(seedRestaurants.test)
  const page = await search('limit=1')
  expect(page.body.restaurants).toHaveLength(1)
  expect(page.headers.get('link')).toContain('/publicapi/v1/restaurant/search-test?')
})

test('200: all test restaurants at any distance, nearest first', async () => {
  const inBoston = { latitude: 42.36, longitude: -71.06, isTestRestaurant: true }
  const near = await aRestaurant({ ...inBoston, offersDelivery: false })
  const fromBoston = await search('street-address=Boston,+MA&method=delivery&pickup-radius=1&limit=200')
  const keys = fromBoston.body.restaurants.map(({ apiKey }) => apiKey)
  // Other tests add test restaurants meanwhile.
  expect(keys).toEqual(expect.arrayContaining([seedRestaurants.test, seedRestaurants.testCoarse]))
  expect(keys[0]).toBe(near)
  const miles = fromBoston.body.restaurants.map((one) => distance(one, inBoston))
  expect(miles).toEqual(miles.toSorted((one, other) => one - other))
})

/** An approximation that is good enough for comparisons at one latitude. */
const distance = (one: Point, other: Point) =>
  Math.hypot(one.latitude - other.latitude, 0.74 * (one.longitude - other.longitude))

test('400: an unknown method; 422: an address that is not on the map', async () => {
  expect(await search('method=fly')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'query/method' }] },
  })
  expect(await search('street-address=Atlantis')).toMatchObject({
    status: 422,
    body: { code: 'address-not-found-on-map' },
  })
})
