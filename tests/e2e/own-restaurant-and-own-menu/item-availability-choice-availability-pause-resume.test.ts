import {
  OwnMenu,
  OwnRestaurant,
  type MenuCategory,
  type OwnCategory,
  type Restaurant,
} from '@platter/contracts'
import { beforeAll, expect, test } from 'vitest'
import { anOrder, call, eventually, get, post, sendOrder, stack, type ProblemBody } from '../client.ts'
import { expectConforms } from '../conforms.ts'
import { aKitchen, menuItem, newKey, restaurantInput, salina } from '../own-restaurant.ts'
import { ownStack } from '../stack.ts'
import { plant } from '../planted.ts'

/* How soon a change is felt: packages/contracts/src/change-times.unit.test.ts, and the tests of each of its parts. */

/** A word that no other restaurant has, of an earlier run either. */
const WORD = `quiltwort${crypto.randomUUID().slice(0, 8)}`
const [pie, crust, cream, whipped] = [newKey(), newKey(), newKey(), newKey()]
const items = () => [
  menuItem(10, {
    apiKey: pie,
    customizationGroups: [
      {
        apiKey: newKey(),
        name: 'On top',
        customizations: [
          {
            apiKey: newKey(),
            name: 'Cream',
            customizationChoices: [
              { apiKey: whipped, name: 'Whipped', price: 0.5 },
              { apiKey: cream, name: 'Sour', price: 0.5 },
            ],
          },
        ],
      },
    ],
  }),
  menuItem(8, { apiKey: crust }),
]

let kitchen: Awaited<ReturnType<typeof aKitchen>>
beforeAll(async () => {
  kitchen = await aKitchen({ name: `${WORD} Pies` }, items())
})

const say = <T>(path: string, body?: unknown, key = kitchen.key) =>
  call<T & ProblemBody>(`/restaurantapi/v1/${path}`, {
    method: 'POST',
    key,
    ...(body !== undefined && { body }),
  })
const own = async <T>(path: string) => (await call<T>(`/restaurantapi/v1/${path}`, { key: kitchen.key })).body

/** What four reads in a row say, which go to all replicas of gateway and catalog; one word when they agree. */
async function agreed(read: () => Promise<unknown>): Promise<string> {
  const said = await Promise.all(Array.from({ length: 4 }, read))
  return [...new Set(said.map(String))].join(' and ')
}
const becomes = (read: () => Promise<unknown>, wanted: string) =>
  eventually(
    () => agreed(read),
    (said) => said === wanted,
  )

const onTheMenu = async (apiKey: string) => {
  const { body } = await get<MenuCategory[]>(`restaurant/${kitchen.apiKey}/menu?includeCustomizations=true`)
  const found = body.flatMap((category) => category.items)
  const choices = found.flatMap((item) =>
    (item.customizationGroups ?? []).flatMap(({ customizations }) =>
      customizations.flatMap(({ customizationChoices }) => customizationChoices),
    ),
  )
  return [...found, ...choices].find((one) => one.apiKey === apiKey)?.available
}
const order = (changes: object) => anOrder(kitchen.apiKey, { items: [{ apiKey: crust }], ...changes })
const validated = async (changes: object) => {
  const { status, body } = await post<ProblemBody>('validate-order', await order(changes))
  return `${status} ${body.code}`.replace(' undefined', '')
}

test('a sold-out item is unavailable at every replica and cannot be ordered, until it is available again', async () => {
  const off = await say(`item/${crust}/availability`, { available: false })
  expect(off).toMatchObject({ status: 200, body: { apiKey: crust, available: false, until: null } })
  expect(await becomes(() => onTheMenu(crust), 'false')).toBe('false')
  expect(await agreed(() => validated({ items: [{ apiKey: crust }] }))).toBe('422 item-unavailable')
  expect(await sendOrder(await order({ items: [{ apiKey: crust }] }))).toMatchObject({
    status: 422,
    body: { code: 'item-unavailable', errors: [{ pointer: '/items/0/apiKey' }] },
  })
  const on = await say(`item/${crust}/availability`, { available: 'true' })
  expect(on.body).toEqual({ apiKey: crust, available: true, until: null })
  expect(await becomes(() => onTheMenu(crust), 'true')).toBe('true')
  expect(await validated({ items: [{ apiKey: crust }] })).toBe('200')
})

test('a sold-out choice is unavailable in the same way', async () => {
  const wanted = { items: [{ apiKey: pie, customizationChoices: [{ apiKey: cream }] }] }
  expect((await say(`choice/${cream}/availability`, { available: false })).status).toBe(200)
  expect(await becomes(() => onTheMenu(cream), 'false')).toBe('false')
  expect(await onTheMenu(whipped)).toBe(true)
  expect(await agreed(() => validated(wanted))).toBe('422 item-unavailable')
  const customizations = await get(`customizations/${pie}`)
  expect(JSON.stringify(customizations.body)).toContain('"available":false')
  await say(`choice/${cream}/availability`, { available: true })
  expect(await validated(wanted)).toBe('200')
})

test('until: an availability override expires, and the restaurant sees when', async () => {
  const until = Math.floor(Date.now() / 1_000) + 3_600
  expect((await say(`item/${pie}/availability`, { available: false, until })).body).toEqual({
    apiKey: pie,
    available: false,
    until,
  })
  const menu = await own<OwnCategory[]>('menu')
  expectConforms(OwnMenu, menu)
  expect(menu[0]?.items.map(({ available, availableAgain }) => [available, availableAgain])).toEqual([
    [false, until],
    [true, null],
  ])
  expect(await becomes(() => onTheMenu(pie), 'false')).toBe('false')
  // As if the hour were over.
  await plant('update catalog.availability set until = now() where api_key = $1', pie)
  expect(await becomes(() => onTheMenu(pie), 'true')).toBe('true')
  expect((await own<OwnCategory[]>('menu'))[0]?.items[0]).toMatchObject({
    available: true,
    availableAgain: null,
  })
})

test('400 names the field, 404 is for items of another menu, 403 for keys of another audience', async () => {
  ownStack()
  for (const [body, pointer] of [
    [{ available: false, until: 1 }, '/until'],
    [{ available: false, until: Date.now() }, '/until'],
    [{ available: false, until: Date.now() * 1_000 }, '/until'],
    [{ available: true, until: 1_900_000_000 }, '/until'],
    [{ available: 'perhaps' }, '/available'],
    [{}, '/available'],
  ] as const)
    expect(await say(`item/${pie}/availability`, body)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer }] },
    })
  const stranger = (await aKitchen()).key
  const missing = { status: 404, body: { code: 'item-not-found' } }
  expect(await say(`item/${pie}/availability`, { available: false }, stranger)).toMatchObject(missing)
  expect(await say(`choice/${cream}/availability`, { available: false }, stranger)).toMatchObject(missing)
  expect(await say(`choice/${pie}/availability`, { available: false })).toMatchObject(missing)
  const denied = { status: 403, body: { code: 'not-allowed' } }
  expect(await say('pause', { minutes: 5 }, stack().accessKey)).toMatchObject(denied)
  expect(await onTheMenu(pie)).toBe(true)
})

const details = async () =>
  (await get<Restaurant & { restaurant: Restaurant }>(`restaurant/${kitchen.apiKey}`)).body
const found = async () => {
  const query = new URLSearchParams({
    search: WORD,
    'street-address': `${salina.city}, ${salina.state}`,
  })
  const { body } = await get<{ restaurants: Restaurant[] }>(`restaurant/search?${query.toString()}`)
  return body.restaurants.map(({ open }) => open).join()
}

test('a pause closes the restaurant everywhere, errors of orders say until when, and resume ends it', async () => {
  const earliest = Math.floor(Date.now() / 1_000) + 1_200
  const paused = await say<{ paused: boolean; pausedUntil: number }>('pause', { minutes: 20 })
  const latest = Math.ceil(Date.now() / 1_000) + 1_201
  expect(paused).toMatchObject({ status: 200, body: { paused: true } })
  const { pausedUntil } = paused.body
  expect(pausedUntil).toBeGreaterThanOrEqual(earliest)
  expect(pausedUntil).toBeLessThanOrEqual(latest)
  expect(await becomes(async () => (await details()).open, 'false')).toBe('false')
  expect(await agreed(found)).toBe('false')
  const { status, body } = await sendOrder(await order({}))
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'restaurant-closed' })
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: restaurantInput.timezone,
    hour: 'numeric',
    minute: '2-digit',
  }).format(pausedUntil * 1_000)
  expect(body.detail).toContain(`until ${clock.replaceAll('\u202F', ' ')}`)
  const restaurant = await own<Restaurant>('restaurant')
  expectConforms(OwnRestaurant, restaurant)
  const { restaurant: record } = await details()
  expect(restaurant).toEqual({ ...record, pausedUntil })

  expect(await say('resume')).toMatchObject({ status: 200, body: { paused: false, pausedUntil: null } })
  expect(await becomes(async () => (await details()).open, 'true')).toBe('true')
  expect(await own('restaurant')).toMatchObject({ pausedUntil: null, open: true })
  expect((await sendOrder(await order({}))).status).toBe(200)
  for (const minutes of [0, 1_441, 1.5, 'long', undefined])
    expect(await say('pause', { minutes })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/minutes' }] },
    })
})
