import { PutMenu } from '@platter/contracts'
import { expect, test } from 'vitest'
import {
  eventually,
  get,
  maria,
  operator,
  post,
  type MenuCategory,
  type Order,
  expectConforms,
} from './client.ts'
import { aRestaurant, menuItem, menuOf, newKey, putMenu } from './own-restaurant.ts'

type Refused = { code: string; errors: { pointer: string; code: string }[] }

const pointersOf = ({ errors }: Refused) => errors.map(({ pointer }) => pointer).toSorted()
const choice = (changes: Record<string, unknown> = {}) => ({
  apiKey: newKey(),
  name: 'Large',
  price: 2.5,
  ...changes,
})
const group = (choices: readonly object[], changes: Record<string, unknown> = {}) => ({
  apiKey: newKey(),
  name: 'Size',
  customizations: [{ apiKey: newKey(), name: 'Size', customizationChoices: choices }],
  ...changes,
})

test('200: the menu with its customizations and with defaults for omitted fields', async () => {
  const apiKey = await aRestaurant()
  const size = choice()
  const sizes = group([size])
  const item = menuItem(10.99, { customizationGroups: [sizes], calories: 900 })
  const menu = menuOf([item, menuItem(3.99, { name: 'Knots', description: 'Six', available: false })])
  const { status, body } = await putMenu<MenuCategory[]>(apiKey, menu)
  expect(status).toBe(200)
  expectConforms(PutMenu, body)
  expect(body).toMatchObject([
    {
      name: 'Pies',
      items: [
        {
          available: true,
          basePrice: 10.99,
          customizationGroups: [
            {
              minCount: 0,
              maxCount: 1,
              basePrice: 0,
              customizations: [{ type: '', customizationChoices: [{ ...size, count: 1, available: true }] }],
            },
          ],
        },
        { description: 'Six', available: false, customizationGroups: [] },
      ],
    },
  ])
  expect((await get(`restaurant/${apiKey}/menu?includeCustomizations=true`)).body).toEqual(body)
})

test('200: a new menu replaces the old one in restaurant-menu and validate-order', async () => {
  const [kept, removed] = [menuItem(10), menuItem(4)]
  const apiKey = await aRestaurant({}, [kept, removed])
  const order = (item: { apiKey: string }) => ({
    restaurantApiKey: apiKey,
    items: [{ apiKey: item.apiKey }],
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
  })
  expect((await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)).body[0]?.items).toHaveLength(2)
  await putMenu(apiKey, menuOf([{ ...kept, basePrice: 12.5 }]))
  expect((await post<Order>('validate-order', order(kept))).body.subtotal).toBe(12.5)
  expect(await post('validate-order', order(removed))).toMatchObject({
    status: 404,
    body: { code: 'item-not-found' },
  })
  const changed = await eventually(
    async () => (await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)).body[0]?.items,
    (items) => items?.length === 1,
  )
  expect(changed).toMatchObject([{ basePrice: 12.5 }])
})

test('200: an empty menu, and money as a string', async () => {
  const apiKey = await aRestaurant({}, [menuItem(5)])
  expect(
    (await putMenu<MenuCategory[]>(apiKey, menuOf([menuItem(0, { basePrice: '7.05' })]))).body,
  ).toMatchObject([{ items: [{ basePrice: 7.05 }] }])
  expect(await putMenu(apiKey, [])).toMatchObject({ status: 200, body: [] })
})

test('200: a menu of 2,000 items', async () => {
  const apiKey = await aRestaurant()
  const sizes = ['Small', 'Medium', 'Large'].map((name) => choice({ name }))
  const items = Array.from({ length: 2_000 }, (_, index) =>
    menuItem(index / 100, { name: `Item ${index}`, customizationGroups: [group(sizes)] }),
  )
  const { status, body } = await putMenu<MenuCategory[]>(apiKey, menuOf(items))
  expect(status).toBe(200)
  expect(body[0]?.items).toHaveLength(2_000)
  const read = await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)
  expect(read.body[0]?.items.map(({ basePrice }) => basePrice)).toEqual(
    items.map(({ basePrice }) => basePrice),
  )
})

test('400: a menu with faults is refused as a whole; the problem has the pointer of each fault', async () => {
  const apiKey = await aRestaurant({}, [menuItem(5)])
  const { status, body } = await putMenu<Refused>(apiKey, [
    {
      apiKey: newKey(),
      name: ' ',
      items: [menuItem(1.999), { name: 'Pie', basePrice: -1 }],
    },
  ])
  expect(status).toBe(400)
  expect(pointersOf(body)).toEqual([
    '/0/items/0/basePrice',
    '/0/items/1/apiKey',
    '/0/items/1/basePrice',
    '/0/name',
  ])
  expect((await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)).body[0]?.items).toHaveLength(1)
})

const withGroup = (changes: Record<string, unknown>, choices: readonly object[] = [choice()]) =>
  menuOf([menuItem(5, { customizationGroups: [group(choices, changes)] })])
const withBallast = (length: number) => menuOf([menuItem(5, { ballast: 'x'.repeat(length) })])
/** Returns a menu whose JSON has this number of bytes. */
const menuOfBytes = (bytes: number) => withBallast(bytes - JSON.stringify(withBallast(0)).length)
/** The body limit of put-menu: 4 MiB. */
const LIMIT = 4 * 1024 * 1024
const AT_GROUP = '/0/items/0/customizationGroups/0'
const AT_CHOICE = `${AT_GROUP}/customizations/0/customizationChoices`

test.each([
  ['an object as the menu', {}, ''],
  ['null as the menu', null, ''],
  ['a price above 10,000', menuOf([menuItem(10_000.01)]), '/0/items/0/basePrice'],
  ['available: 2', menuOf([menuItem(1, { available: 2 })]), '/0/items/0/available'],
  ['an apiKey with a colon', menuOf([menuItem(1, { apiKey: 'a:b' })]), '/0/items/0/apiKey'],
  ['a minimum above the maximum', withGroup({ minCount: 2, maxCount: 1 }), `${AT_GROUP}/minCount`],
  ['a group without customizations', withGroup({ customizations: [] }), `${AT_GROUP}/customizations`],
  ['a customization without choices', withGroup({}, []), AT_CHOICE],
  ['a choice with a count of -1', withGroup({}, [choice({ count: -1 })]), `${AT_CHOICE}/0/count`],
  ['a choice with a count of 1.5', withGroup({}, [choice({ count: 1.5 })]), `${AT_CHOICE}/0/count`],
  [
    'two choices with one apiKey',
    withGroup({}, [choice({ apiKey: 'x' }), choice({ apiKey: 'x' })]),
    `${AT_CHOICE}/1/apiKey`,
  ],
  [
    'two items with one apiKey',
    menuOf([menuItem(1, { apiKey: 'x' }), menuItem(1, { apiKey: 'x' })]),
    '/0/items/1/apiKey',
  ],
])('400 invalid-field: %s', async (_, menu, pointer) => {
  expect(await putMenu(await aRestaurant(), menu)).toMatchObject({
    status: 400,
    body: { code: 'invalid-field', errors: [{ pointer }] },
  })
})

test('404 restaurant-not-found: an unknown apiKey', async () => {
  expect(await putMenu('none', menuOf([menuItem(5)]))).toMatchObject({
    status: 404,
    body: { code: 'restaurant-not-found' },
  })
})

test("404 restaurant-not-found: a validation for a new restaurant also names another restaurant's item and category", async () => {
  const taken = menuItem(5)
  const others = menuOf([taken])
  await putMenu(await aRestaurant(), others)
  const menu = [...others.map((category) => ({ ...category, items: [] })), ...menuOf([menuItem(6), taken])]
  const path = `restaurants/${newKey()}/menu?validate-only=true`
  expect(await operator<Refused>('PUT', path, menu)).toMatchObject({
    status: 404,
    body: {
      code: 'restaurant-not-found',
      errors: [
        { pointer: '/0/apiKey', code: 'apikey-taken' },
        { pointer: '/1/items/1/apiKey', code: 'apikey-taken' },
      ],
    },
  })
})

test("409 apikey-taken: another restaurant's item or category; the menu stays unchanged", async () => {
  const taken = menuItem(5)
  const othersMenu = menuOf([taken])
  await putMenu(await aRestaurant(), othersMenu)
  const apiKey = await aRestaurant({}, [menuItem(6)])
  expect(await putMenu(apiKey, menuOf([menuItem(7), taken]))).toMatchObject({
    status: 409,
    body: { code: 'apikey-taken', errors: [{ pointer: '/0/items/1/apiKey' }] },
  })
  const withCategory = othersMenu.map((category) => ({ ...category, items: [menuItem(7)] }))
  expect(await putMenu(apiKey, withCategory)).toMatchObject({
    status: 409,
    body: { code: 'apikey-taken', errors: [{ pointer: '/0/apiKey' }] },
  })
  expect((await get<MenuCategory[]>(`restaurant/${apiKey}/menu`)).body[0]?.items).toMatchObject([
    { basePrice: 6 },
  ])
})

test('413 body-too-large: a menu of one byte more than 4 MiB, but not one of 4 MiB', async () => {
  const apiKey = await aRestaurant()
  expect((await putMenu(apiKey, menuOfBytes(LIMIT))).status).toBe(200)
  // Repeated, because a connection that closes while the client still sends would often be reset instead.
  for (let time = 0; time < 10; time++)
    expect(await putMenu(apiKey, menuOfBytes(LIMIT + 1))).toMatchObject({
      status: 413,
      body: { code: 'body-too-large' },
    })
})
