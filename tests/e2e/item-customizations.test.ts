import { ItemCustomizations, type CustomizationGroup } from '@platter/contracts'
import { expect, test } from 'vitest'
import { seedRestaurants, get, type MenuCategory, expectConforms } from './client.ts'
import { aRestaurant, menuItem, menuOf, newKey, putMenu } from './own-restaurant.ts'

const customizations = <T = CustomizationGroup[]>(apiKey: string, tag?: string) =>
  get<T>(`customizations/${apiKey}`, tag === undefined ? {} : { headers: { 'if-none-match': tag } })

const sauces = () => ({
  apiKey: newKey(),
  name: 'Sauces',
  minCount: 1,
  maxCount: 2,
  basePrice: 0.5,
  customizations: [
    {
      apiKey: newKey(),
      name: 'Sauce',
      type: 'sauce',
      customizationChoices: [
        { apiKey: newKey(), name: 'Buffalo', price: 0, count: 1, available: true },
        { apiKey: newKey(), name: 'Double buffalo', price: 0.75, count: 2, available: false },
      ],
    },
  ],
})

test('200: the customization groups as put-menu stored them', async () => {
  const group = sauces()
  const item = menuItem(9, { customizationGroups: [group] })
  await aRestaurant({}, [item])
  const { status, body } = await customizations(item.apiKey)
  expect(status).toBe(200)
  expectConforms(ItemCustomizations, body)
  expect(body).toEqual([group])
})

test('200: the same groups as in the menu with includeCustomizations', async () => {
  const { body: menu } = await get<MenuCategory[]>(
    `restaurant/${seedRestaurants.aurora}/menu?includeCustomizations=true`,
  )
  const items = menu.flatMap((category) => category.items)
  expect(items.some(({ customizationGroups }) => (customizationGroups?.length ?? 0) > 1)).toBe(true)
  for (const { apiKey, customizationGroups } of items.slice(0, 10))
    expect((await customizations(apiKey)).body).toEqual(customizationGroups)
})

test('200: an empty list for an item without customizations', async () => {
  const item = menuItem(5)
  await aRestaurant({}, [item])
  expect((await customizations(item.apiKey)).body).toEqual([])
})

test('304 for the current entity tag, 200 with another tag immediately after put-menu', async () => {
  const item = menuItem(5)
  const restaurant = await aRestaurant({}, [item])
  const first = await customizations(item.apiKey)
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[^"]+"$/)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')
  expect(await customizations(item.apiKey, tag)).toMatchObject({ status: 304, body: undefined })
  await putMenu(restaurant, menuOf([{ ...item, customizationGroups: [sauces()] }]))
  const changed = await customizations(item.apiKey, tag)
  expect(changed).toMatchObject({ status: 200, body: [{ name: 'Sauces' }] })
  expect(changed.headers.get('etag')).not.toBe(tag)
})

test('404 item-not-found for an unknown or removed item, a group, a choice or a restaurant', async () => {
  const [group, item] = [sauces(), menuItem(5)]
  const restaurant = await aRestaurant({}, [{ ...item, customizationGroups: [group] }])
  const choice = group.customizations[0]!.customizationChoices[0]!
  for (const apiKey of ['none', newKey(), group.apiKey, choice.apiKey, restaurant])
    expect(await customizations(apiKey)).toMatchObject({ status: 404, body: { code: 'item-not-found' } })
  await putMenu(restaurant, [])
  expect((await customizations(item.apiKey)).status).toBe(404)
  expect((await customizations(item.apiKey, '*')).status).toBe(404)
})

test('400 invalid-field: an invalid apiKey', async () => {
  expect(await customizations('a%20b')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'path/apiKey' }] },
  })
})
