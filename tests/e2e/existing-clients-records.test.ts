import { expect, test } from 'vitest'
import { anOrder, cast, get, sendOrder, stack } from './client.ts'
import { aRestaurant, menuItem } from './own-restaurant.ts'

/* Records that clients of the original interface read. */

const API = '/publicapi/v1'

/** Returns the text of the response, because a parsed number does not distinguish `8` from `8.00`. */
async function textOf(path: string, body?: unknown): Promise<string> {
  const response = await fetch(`${stack().gateway}${API}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-access-token': stack().accessKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

const MONEY =
  /"(?:basePrice|totalPrice|price|subtotal|tax|tip|total|deliveryPrice|deliveryMin|minFreeDelivery)":([^,}]+)/g

function expectTwoDecimals(json: string, atLeast: number): void {
  const amounts = [...json.matchAll(MONEY)].map(([, amount]) => amount)
  expect(amounts.length).toBeGreaterThanOrEqual(atLeast)
  expect(amounts.filter((amount) => !/^-?\d+\.\d\d$/.test(amount ?? ''))).toEqual([])
}

test('Money: amounts in menus, details, searches and customizations have two decimals', async () => {
  const menu = await textOf(`restaurant/${cast.test}/menu?includeCustomizations=true`)
  expectTwoDecimals(menu, 20)
  expect(menu).toContain('"basePrice":2.00')
  expectTwoDecimals(await textOf(`restaurant/${cast.aurora}`), 8)
  expectTwoDecimals(await textOf('restaurant/search?street-address=Madison, WI'), 20)
  const [item] = (await seedItems()).filter(({ customizationGroups = [] }) => customizationGroups.length > 0)
  expectTwoDecimals(await textOf(`customizations/${item?.apiKey}`), 2)
})

test('Money: amounts in validate-order, orders and a replay of send-order have two decimals', async () => {
  const body = { ...(await anOrder(cast.aurora)), method: 'pickup', tip: 3 }
  expectTwoDecimals(await textOf('validate-order', body), 9)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const { body: order } = await sendOrder(body, { headers })
  expectTwoDecimals(await textOf(`order/${order.apiKey}`), 9)
  const replay = await fetch(`${stack().gateway}${API}/send-order`, {
    method: 'POST',
    headers: { 'x-access-token': stack().accessKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  const text = await replay.text()
  expectTwoDecimals(text, 9)
  expect(text).toContain('"tip":3.00')
})

test('Restaurant details: the member restaurant equals the other members of the response', async () => {
  const { body } = await get<{ restaurant: object }>(`restaurant/${cast.aurora}`)
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
    `restaurant/${cast.test}/menu?includeCustomizations=true`,
    `restaurant/${cast.coarse}`,
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
  const { body } = await sendOrder(await anOrder(cast.aurora))
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

type WithGroups = { apiKey: string; customizationGroups?: object[] }
const seedItems = async () =>
  (
    JSON.parse(await textOf(`restaurant/${cast.test}/menu?includeCustomizations=true`)) as {
      items: WithGroups[]
    }[]
  ).flatMap(({ items }) => items)
