import { expect, test } from 'vitest'
import { operator, type Restaurant } from './client.ts'
import { newKey, putRestaurant, restaurantInput } from './own-restaurant.ts'

test('restaurants are listed newest first, test restaurants too, on pages without overlap', async () => {
  const [one, other] = [newKey(), newKey()]
  for (const apiKey of [one, other])
    await putRestaurant(apiKey, { ...restaurantInput, isTestRestaurant: true })
  const { body } = await operator<Restaurant[]>('GET', 'restaurants')
  const at = (apiKey: string) => body.findIndex((restaurant) => restaurant.apiKey === apiKey)
  expect(at(other)).toBeGreaterThanOrEqual(0)
  expect(at(one)).toBeGreaterThan(at(other))
  const first = await operator<Restaurant[]>('GET', 'restaurants?limit=2')
  const next = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const second = await operator<Restaurant[]>('GET', next)
  const both = [...first.body, ...second.body].map(({ apiKey }) => apiKey)
  expect([both.length, new Set(both).size]).toEqual([4, 4])
})
