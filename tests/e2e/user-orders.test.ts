import { expect, test } from 'vitest'
import {
  anOrder,
  call,
  seedRestaurants,
  get,
  register,
  sendOrder,
  stack,
  type ClientResponse,
  type Order,
} from './client.ts'
import { aKitchen, menuItem } from './own-restaurant.ts'

test('orders are listed newest first, page by page', async () => {
  const user = await register()
  const request = { ...(await anOrder(seedRestaurants.aurora)), recipient: { apiKey: user.apiKey } }
  const placed: string[] = []
  for (let count = 0; count < 3; count++) placed.unshift((await sendOrder(request)).body.apiKey)
  const first = await get<Order[]>(`user/${user.apiKey}/orders?limit=2`)
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await call<Order[]>(next!)
  expect([...first.body, ...second.body].map(({ apiKey }) => apiKey)).toEqual(placed)
  expect(second.headers.get('link')).toBeNull()
})

test('user and restaurant lists split large orders into pages below 1.5 MB, linked to the next', async () => {
  const item = menuItem(10)
  const [kitchen, user] = await Promise.all([aKitchen({}, [item]), register()])
  const items = Array.from({ length: 100 }, () => ({ apiKey: item.apiKey, comments: 'x'.repeat(500) }))
  const request = await anOrder(seedRestaurants.aurora, {
    restaurantApiKey: kitchen.apiKey,
    items,
    recipient: { apiKey: user.apiKey },
  })
  const placed: string[] = []
  // 1.6 MB.
  for (let count = 0; count < 24; count++) placed.unshift((await sendOrder(request)).body.apiKey)
  const lists = [
    { path: `/publicapi/v1/user/${user.apiKey}/orders?limit=100`, key: stack().accessKey },
    { path: '/restaurantapi/v1/orders?limit=100', key: kitchen.key },
  ]
  for (const { path, key } of lists) {
    const found: Order[] = []
    const pages: number[] = []
    for (let next: string | undefined = path; next !== undefined;) {
      const { status, headers, body }: ClientResponse<Order[]> = await call<Order[]>(next, { key })
      expect(status).toBe(200)
      pages.push(JSON.stringify(body).length)
      found.push(...body)
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(found.map(({ apiKey }) => apiKey)).toEqual(placed)
    expect(pages.length).toBeGreaterThan(1)
    for (const bytes of pages) expect(bytes).toBeLessThan(1_500_000)
  }
})
