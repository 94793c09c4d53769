import { RestaurantMenu } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import diner from '../../dev/seed/restaurants/capitol-lights-diner.json' with { type: 'json' }
import { seedRestaurants, eventually, get, stack, type MenuCategory, expectConforms } from './client.ts'
import { aRestaurant, menuItem, menuOf, putMenu } from './own-restaurant.ts'

const menu = <T = MenuCategory[]>(apiKey: string, more: { query?: string; tag?: string } = {}) =>
  get<T>(`restaurant/${apiKey}/menu${more.query ?? ''}`, {
    ...(more.tag !== undefined && { headers: { 'if-none-match': more.tag } }),
  })

/** Returns a stored menu in the form of a response without customizations. */
const asRead = (put: typeof diner.menu) =>
  put.map(({ items, ...category }) => ({
    ...category,
    items: items.map(({ customizationGroups: _groups, ...item }) => item),
  }))
const groupKeys = (categories: readonly MenuCategory[] | typeof diner.menu) =>
  categories.flatMap(({ items }) =>
    items.map(({ customizationGroups }) => (customizationGroups ?? []).map(({ apiKey }) => apiKey)),
  )

test('200: the stored menu in its order, without customizations', async () => {
  const { status, body } = await menu(seedRestaurants.coarse)
  expect(status).toBe(200)
  expectConforms(RestaurantMenu, body)
  expect(body).toEqual(asRead(diner.menu))
})

test('200: with includeCustomizations=true every item has its groups, and with false none has', async () => {
  const { status, body } = await menu(seedRestaurants.coarse, { query: '?includeCustomizations=true' })
  expect(status).toBe(200)
  expectConforms(RestaurantMenu, body)
  expect(body.flatMap(({ items }) => items).length).toBeGreaterThanOrEqual(120)
  expect(groupKeys(body)).toEqual(groupKeys(diner.menu))
  expect((await menu(seedRestaurants.coarse, { query: '?includeCustomizations=false' })).body).toEqual(
    (await menu(seedRestaurants.coarse)).body,
  )
})

test('200: a restaurant without a menu has an empty one', async () => {
  expect((await menu(await aRestaurant())).body).toEqual([])
})

test('404 restaurant-not-found: an unknown apiKey, also with customizations or If-None-Match', async () => {
  for (const more of [{}, { query: '?includeCustomizations=true' }, { tag: '*' }])
    expect(await menu('none', more)).toMatchObject({ status: 404, body: { code: 'restaurant-not-found' } })
})

test.each(['maybe', '2', 'truth'])('400 invalid-field: includeCustomizations=%s', async (value) => {
  expect(await menu(seedRestaurants.aurora, { query: `?includeCustomizations=${value}` })).toMatchObject({
    status: 400,
    body: { code: 'invalid-field', errors: [{ pointer: 'query/includeCustomizations' }] },
  })
})

describe('conditional requests', () => {
  test('304 without a body: the current entity tag, alone, weak, in a list, or as *', async () => {
    const first = await menu(seedRestaurants.aurora)
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await menu(seedRestaurants.aurora, { tag: header })
      expect(again.status).toBe(304)
      expect(again.body).toBeUndefined()
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.get('cache-control')).toBe('private, no-cache')
      expect(again.headers.get('content-type')).toBeNull()
      expect(Number(again.headers.get('content-length') ?? 0)).toBe(0)
    }
  })

  test('200: any other entity tag; the two forms of a menu have different tags', async () => {
    const tag = (await menu(seedRestaurants.aurora)).headers.get('etag') ?? ''
    const customized = await menu(seedRestaurants.aurora, { query: '?includeCustomizations=true', tag })
    expect(customized.status).toBe(200)
    expect(customized.headers.get('etag')).not.toBe(tag)
    for (const header of ['"other"', 'nonsense', '', tag.slice(1)])
      expect((await menu(seedRestaurants.aurora, { tag: header })).status).toBe(200)
  })

  test('a connection can be reused after a 304', async () => {
    const tag = (await menu(seedRestaurants.aurora)).headers.get('etag') ?? ''
    const statuses = await Promise.all(
      Array.from(
        { length: 50 },
        async (_, index) => (await menu(seedRestaurants.aurora, index % 2 ? { tag } : {})).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([200, 304]))
  })

  test('200: a changed menu with another entity tag', async () => {
    const item = menuItem(10.99)
    const apiKey = await aRestaurant({}, [item])
    const tag = (await menu(apiKey)).headers.get('etag') ?? ''
    expect((await menu(apiKey, { tag })).status).toBe(304)
    await putMenu(apiKey, menuOf([{ ...item, basePrice: 12.5 }]))
    const changed = await eventually(
      () => menu(apiKey, { tag }),
      ({ status }) => status === 200,
    )
    expect(changed.body).toMatchObject([{ items: [{ basePrice: 12.5 }] }])
    expect(changed.headers.get('etag')).not.toBe(tag)
  })
})

test('HEAD returns the entity tag of GET, without a body', async () => {
  const response = await fetch(`${stack().gateway}/publicapi/v1/restaurant/${seedRestaurants.aurora}/menu`, {
    method: 'HEAD',
    headers: { 'x-access-token': stack().accessKey },
  })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('')
  expect(response.headers.get('etag')).toBe((await menu(seedRestaurants.aurora)).headers.get('etag'))
})
