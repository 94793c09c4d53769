import { expect, test } from 'vitest'
import { cast, get, home, type MenuCategory, type Restaurant, stack } from './client.ts'

type Found = { address: { latitude: number | null; zip: string }; restaurants: Restaurant[] }

const downtown = encodeURIComponent(`${home.streetAddress}, ${home.city}, ${home.state} ${home.zip}`)

test('restaurant/search: finds what is near an address, open ones first, and never a test restaurant', async () => {
  const { status, body } = await get<Found>(`restaurant/search?street-address=${downtown}`)
  expect(status).toBe(200)
  expect(body.address.zip).toBe('53703')
  const keys = body.restaurants.map(({ apiKey }) => apiKey)
  expect(keys).toContain(cast.aurora)
  expect(keys).not.toContain(cast.test)
  const opens = body.restaurants.map(({ open }) => open)
  expect(opens).toEqual(opens.toSorted((one, other) => Number(other) - Number(one)))
})

test('restaurant/search: every word has to occur, brackets and null mean nothing', async () => {
  const { body: all } = await get<Found>('restaurant/search?search=%5Bnull%5D')
  expect(all.restaurants.length).toBeGreaterThan(10)
  const { body: thai } = await get<Found>('restaurant/search?search=%5Bthai%5D')
  expect(thai.restaurants.map(({ name }) => name)).toContainEqual(expect.stringMatching(/Thai/))
  const { body: none } = await get<Found>('restaurant/search?search=thai+xylophone')
  expect(none.restaurants).toEqual([])
})

test('restaurant/search: the next page is in the Link header', async () => {
  const first = await get<Found>('restaurant/search?limit=5')
  expect(first.body.restaurants.length).toBe(5)
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await get<Found>(next!.replace('/publicapi/v1/', ''))
  expect(second.body.restaurants.length).toBe(5)
  const keys = [...first.body.restaurants, ...second.body.restaurants].map(({ apiKey }) => apiKey)
  expect(new Set(keys).size).toBe(10)
})

test('restaurant/search-test: test restaurants only', async () => {
  const { body } = await get<Found>('restaurant/search-test')
  expect(body.restaurants.map(({ apiKey }) => apiKey).toSorted()).toEqual(
    [cast.test, cast.testCoarse].toSorted(),
  )
})

test("restaurant/{apiKey}: with a place, the zone's price and minimum; outside every zone no delivery", async () => {
  const { body: here } = await get<Restaurant>(`restaurant/${cast.aurora}?street-address=${downtown}`)
  expect(here).toMatchObject({
    apiKey: cast.aurora,
    offersDelivery: true,
    open: true,
    timezone: 'US/Central',
  })
  expect(here.zones?.length).toBeGreaterThan(0)
  const { body: denver } = await get<Restaurant>(
    `restaurant/${cast.aurora}?latitude=39.6682&longitude=-105.0966`,
  )
  expect(denver.offersDelivery).toBe(false)
})

test('404 restaurant-not-found and item-not-found', async () => {
  expect(await get('restaurant/none')).toMatchObject({ status: 404, body: { code: 'restaurant-not-found' } })
  expect(await get('restaurant/none/menu')).toMatchObject({
    status: 404,
    body: { code: 'restaurant-not-found' },
  })
  expect(await get('customizations/none')).toMatchObject({ status: 404, body: { code: 'item-not-found' } })
})

test('menu: customizations only when asked for, the same ones that customizations/{apiKey} gives', async () => {
  const { body: plain } = await get<MenuCategory[]>(`restaurant/${cast.aurora}/menu/`)
  expect(plain.flatMap(({ items }) => items).every((item) => !('customizationGroups' in item))).toBe(true)
  const { body: full } = await get<MenuCategory[]>(
    `restaurant/${cast.aurora}/menu?includeCustomizations=true`,
  )
  const item = full
    .flatMap(({ items }) => items)
    .find(({ customizationGroups }) => (customizationGroups?.length ?? 0) > 0)
  expect((await get(`customizations/${item!.apiKey}`)).body).toEqual(item!.customizationGroups)
})

test('400: a parameter that cannot be read is named', async () => {
  expect(await get('restaurant/search?latitude=north&longitude=-89')).toMatchObject({
    status: 400,
    body: { code: 'invalid-field', errors: [{ pointer: 'query/latitude' }] },
  })
})

test('401 and 403: no key, a wrong key, a key of another kind; the query parameter works, the header wins', async () => {
  expect(await get('restaurant/search', { key: null })).toMatchObject({
    status: 401,
    body: { code: 'access-token-missing' },
  })
  expect(await get('restaurant/search', { key: 'platter_live_nonsense' })).toMatchObject({
    status: 401,
    body: { code: 'access-token-invalid' },
  })
  expect(await get('restaurant/search', { key: stack().operatorKey })).toMatchObject({
    status: 403,
    body: { code: 'not-allowed' },
  })
  const inQuery = `restaurant/search?limit=1&access-token=${stack().accessKey}`
  expect((await get(inQuery, { key: null })).status).toBe(200)
  expect((await get(inQuery, { key: 'platter_live_nonsense' })).status).toBe(401)
})

test('404 no-such-endpoint, 405 method-not-allowed', async () => {
  expect(await get('nothing')).toMatchObject({ status: 404, body: { code: 'no-such-endpoint' } })
  const { status, headers, body } = await get(`restaurant/${cast.aurora}`, { method: 'DELETE' })
  expect({ status, allow: headers.get('allow'), body }).toMatchObject({
    status: 405,
    allow: 'GET',
    body: { code: 'method-not-allowed' },
  })
})
