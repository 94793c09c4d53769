import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, get, sendOrder } from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

/* Records that clients of the original interface read. The written form of numbers: strictly-typed-reader.test.ts. */

const textOf = async (path: string): Promise<string> => JSON.stringify((await get(path)).body)

test('Restaurant details: the member restaurant equals the other members of the response', async () => {
  const { body } = await get<{ restaurant: object }>(`restaurant/${seedRestaurants.aurora}`)
  const { restaurant, ...top } = body
  expect(restaurant).toEqual(top)
  expect(top).toMatchObject({ name: 'Aurora Slice House', zones: [{ maxRadius: 4 }] })
})

test('Menus, restaurants: a member without a value is absent, never null', async () => {
  const bare = menuItem(8)
  const apiKey = await aRestaurant({ zones: [{ apiKey: crypto.randomUUID(), maxRadius: 3 }] }, [bare])
  for (const path of [
    `restaurant/${apiKey}`,
    `restaurant/${apiKey}/menu?includeCustomizations=true`,
    `restaurant/${seedRestaurants.test}/menu?includeCustomizations=true`,
    `restaurant/${seedRestaurants.coarse}`,
  ])
    expect(await textOf(path)).not.toContain('null')
  const [category] = JSON.parse(await textOf(`restaurant/${apiKey}/menu`)) as { items: object[] }[]
  expect(category).toEqual({
    apiKey: expect.any(String) as string,
    name: 'Pies',
    items: [{ ...bare, available: true }],
  })
})

test('Menus, restaurants: orders and the address of a search keep their explicit nulls', async () => {
  const { body } = await sendOrder(await anOrder(seedRestaurants.aurora))
  const order = JSON.parse(await textOf(`order/${body.apiKey}`)) as object
  expect(order).toMatchObject({ card: null, address: null, comments: null, cancellation: null })
  const { address } = (await get<{ address: object }>('restaurant/search')).body
  expect(address).toMatchObject({ apiKey: null, aptNumber: null, latitude: null, longitude: null })
})

test('hours: a day on which the restaurant is closed is absent', async () => {
  const hours = { Monday: [], Tuesday: ['11:00 AM - 2:00 PM', '5:00 PM - 1:00 AM'], Sunday: [] }
  const apiKey = await aRestaurant({ hours })
  const { body } = await get<{ hours: object }>(`restaurant/${apiKey}`)
  expect(body.hours).toEqual({ Tuesday: hours.Tuesday })
})
