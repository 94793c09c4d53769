import { RestaurantSearchTest } from '@platter/contracts'
import { expect, test } from 'vitest'
import { cast, get, type Restaurant } from './client.ts'
import { expectConforms } from './conforms.ts'

type Found = { address: { zip: string }; restaurants: Restaurant[] }

const search = (query = '') => get<Found>(`restaurant/search-test?${query}`)

test('200: test restaurants only, and all of them', async () => {
  const { status, body } = await search('limit=200')
  expect(status).toBe(200)
  expectConforms(RestaurantSearchTest, body)
  expect(body.restaurants.map(({ apiKey }) => apiKey)).toEqual(
    expect.arrayContaining([cast.test, cast.testCoarse]),
  )
  expect(body.restaurants.filter(({ isTestRestaurant }) => !isTestRestaurant)).toEqual([])
})

test('200: it takes the same parameters as restaurant/search', async () => {
  const near = await search('street-address=Madison,+WI+53703&method=delivery&search=%5Bdeli%5D')
  expect(near.body.address.zip).toBe('53703')
  expect(near.body.restaurants.map(({ apiKey }) => apiKey)).toContain(cast.test)
  expect((await search('latitude=0&longitude=0')).body.restaurants).toEqual([])
  const page = await search('limit=1')
  expect(page.body.restaurants).toHaveLength(1)
  expect(page.headers.get('link')).toContain('/publicapi/v1/restaurant/search-test?')
})

test('400 and 422 are those of restaurant/search', async () => {
  expect(await search('method=fly')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'query/method' }] },
  })
  expect(await search('street-address=Atlantis')).toMatchObject({
    status: 422,
    body: { code: 'address-not-found-on-map' },
  })
})
