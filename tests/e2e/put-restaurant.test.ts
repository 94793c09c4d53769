import { PutRestaurant } from '@platter/contracts'
import { expect, test } from 'vitest'
import { call, get, type Restaurant, expectConforms } from './client.ts'
import {
  always,
  aRestaurant,
  menuItem,
  newKey,
  putMenu,
  menuOf,
  putRestaurant,
  restaurantInput,
} from './own-restaurant.ts'

type Refused = { code: string; errors: { pointer: string; code: string }[] }

const put = <T = Restaurant>(changes: Record<string, unknown>, apiKey = newKey()) =>
  putRestaurant<T>(apiKey, { ...restaurantInput, ...changes })
const pointersOf = ({ errors }: Refused) => errors.map(({ pointer }) => pointer).toSorted()

test('200: a new restaurant; its details are equal except for requireAttendance', async () => {
  const apiKey = newKey()
  const zones = [{ apiKey: newKey(), zips: ['67401', '67402'], deliveryMin: 12, deliveryPrice: 1.5 }]
  const { status, body } = await put<Restaurant & { requireAttendance: boolean }>({ zones }, apiKey)
  expect(status).toBe(200)
  expectConforms(PutRestaurant, body)
  expect(body).toMatchObject({ ...restaurantInput, apiKey, open: true, zones })
  // Only operators can read whether attendance is required.
  const { requireAttendance: _requireAttendance, ...details } = body
  expect((await get<object>(`restaurant/${apiKey}`)).body).toEqual({ ...details, restaurant: details })
})

test('200: an equal PUT changes nothing, another PUT replaces the restaurant; the menu stays', async () => {
  const apiKey = await aRestaurant({}, [menuItem(5)])
  const menu = await get(`restaurant/${apiKey}/menu`)
  const [first, again] = [await put({}, apiKey), await put({}, apiKey)]
  expect(again.body).toEqual(first.body)
  const { body } = await put({ name: 'New Name', deliveryPrice: 1.25, foodTypes: [] }, apiKey)
  expect(body).toMatchObject({ name: 'New Name', deliveryPrice: 1.25, foodTypes: [] })
  expect((await get(`restaurant/${apiKey}/menu`)).body).toEqual(menu.body)
})

test('200: omitted optional fields get defaults, and unknown fields are ignored', async () => {
  const apiKey = newKey()
  const {
    logoUrl: _1,
    url: _2,
    foodTypes: _3,
    minFreeDelivery: _4,
    minWaitTime: _5,
    maxWaitTime: _6,
    ...rest
  } = restaurantInput
  const { status, body } = await putRestaurant<Restaurant>(apiKey, {
    ...rest,
    open: false,
    owner: 'root',
    zones: null,
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    logoUrl: '',
    url: '',
    foodTypes: [],
    minFreeDelivery: -1,
    minWaitTime: 0,
    maxWaitTime: 0,
    open: true,
    zones: [],
  })
  expect(body).not.toHaveProperty('owner')
})

test('200: numbers and booleans may be strings, text is trimmed', async () => {
  const { status, body } = await put({
    latitude: '38.84',
    deliveryPrice: ' 3.5 ',
    taxRate: '0.0825',
    acceptsCash: 'false',
    name: '  Spaced  ',
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    latitude: 38.84,
    deliveryPrice: 3.5,
    taxRate: 0.0825,
    acceptsCash: false,
    name: 'Spaced',
  })
})

test('400 missing-field: all missing fields at once', async () => {
  const { status, body } = await putRestaurant<Refused>(newKey(), {})
  expect(status).toBe(400)
  expect(new Set(body.errors.map(({ code }) => code))).toEqual(new Set(['missing-field']))
  const needed =
    'name streetAddress city state zip latitude longitude phone deliveryMin deliveryPrice taxRate ' +
    'acceptsCash acceptsCard offersPickup offersDelivery hours timezone'
  expect(pointersOf(body)).toEqual(
    needed
      .split(' ')
      .map((field) => `/${field}`)
      .toSorted(),
  )
})

const zone = (changes: Record<string, unknown>) => ({ zones: [{ apiKey: 'a-zone', ...changes }] })
const triangle = [
  { latitude: 38, longitude: -97 },
  { latitude: 39, longitude: -97 },
  { latitude: 39, longitude: -98 },
]

test.each([
  ['an empty name', { name: ' ' }, '/name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, '/name'],
  ['a control character', { city: 'Sal\u0000ina' }, '/city'],
  ['half of a surrogate pair', { name: 'Pie \uD83C' }, '/name'],
  ['a latitude beyond the pole', { latitude: 90.1 }, '/latitude'],
  ['a longitude of null', { longitude: null }, '/longitude'],
  ['a price with three decimals', { deliveryPrice: 1.999 }, '/deliveryPrice'],
  ['a negative minimum', { deliveryMin: -0.01 }, '/deliveryMin'],
  ['a minFreeDelivery of -2', { minFreeDelivery: -2 }, '/minFreeDelivery'],
  ['a tax of 101 %', { taxRate: 1.01 }, '/taxRate'],
  ['a tax with seven decimals', { taxRate: 0.0000001 }, '/taxRate'],
  ['text as a boolean', { offersPickup: 'maybe' }, '/offersPickup'],
  ['a wait of half a minute', { minWaitTime: 0.5 }, '/minWaitTime'],
  ['a minWaitTime above maxWaitTime', { minWaitTime: 61 }, '/minWaitTime'],
  ['a day that does not exist', { hours: { ...always, Noday: [] } }, '/hours'],
  ['an hour that does not exist', { hours: { Monday: ['13:00 PM - 2:00 AM'] } }, '/hours/Monday/0'],
  ['a range without an end', { hours: { Monday: ['9:00 AM'] } }, '/hours/Monday/0'],
  ['hours that are not a list', { hours: { Monday: '9:00 AM - 5:00 PM' } }, '/hours/Monday'],
  ['a time zone that does not exist', { timezone: 'US/Nowhere' }, '/timezone'],
  ['food types that are not a list', { foodTypes: 'Pies' }, '/foodTypes'],
  ['an apiKey other than in the path', { apiKey: 'another' }, '/apiKey'],
  ['a zone without an area', zone({}), '/zones/0'],
  ['a zone with two areas', zone({ maxRadius: 1, zips: ['67401'] }), '/zones/0'],
  ['a polygon of two points', zone({ points: triangle.slice(1) }), '/zones/0/points'],
  ['a hole with an empty point', zone({ points: triangle, holePoints: [{}] }), '/zones/0/holePoints'],
  [
    'two zones with one apiKey',
    { zones: [...zone({ maxRadius: 1 }).zones, ...zone({ maxRadius: 2 }).zones] },
    '/zones/1/apiKey',
  ],
])('400 invalid-field: %s', async (_, changes, pointer) => {
  const { status, body } = await put<Refused>(changes)
  expect(status).toBe(400)
  expect(pointersOf(body).some((at) => at.startsWith(pointer))).toBe(true)
})

test('400: a restaurant with a fault is refused as a whole', async () => {
  const apiKey = await aRestaurant()
  expect((await put({ name: 'Changed', taxRate: 2 }, apiKey)).status).toBe(400)
  expect((await get<Restaurant>(`restaurant/${apiKey}`)).body.name).toBe(restaurantInput.name)
})

test('400 invalid-field: an invalid apiKey in the path', async () => {
  expect(await put({}, 'a%20b')).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: 'path/apiKey' }] },
  })
})

test("409 apikey-taken: another restaurant's zone; the restaurant stays unchanged", async () => {
  const taken = newKey()
  await aRestaurant({ zones: [{ apiKey: taken, maxRadius: 1 }] })
  const apiKey = await aRestaurant()
  const zones = [
    { apiKey: newKey(), maxRadius: 1 },
    { apiKey: taken, maxRadius: 1 },
  ]
  expect(await put({ name: 'Changed', zones }, apiKey)).toMatchObject({
    status: 409,
    body: { code: 'apikey-taken', errors: [{ pointer: '/zones/1/apiKey' }] },
  })
  expect((await get<Restaurant>(`restaurant/${apiKey}`)).body).toMatchObject({
    name: restaurantInput.name,
    zones: [],
  })
})

test('200: a repeated PUT may reorder the zones of the restaurant', async () => {
  const zones = [1, 2, 3].map((maxRadius) => ({ apiKey: newKey(), maxRadius }))
  const apiKey = await aRestaurant({ zones })
  const { body } = await put({ zones: zones.toReversed() }, apiKey)
  expect(body.zones?.map(({ maxRadius }) => maxRadius)).toEqual([3, 2, 1])
})

test('200: ten concurrent PUTs all succeed, and name and zones come from the same one', async () => {
  const apiKey = newKey()
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      put({ name: `Name ${index}`, zones: [{ apiKey: `${apiKey}-zone`, maxRadius: index }] }, apiKey),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const { body } = await get<Restaurant>(`restaurant/${apiKey}`)
  expect(body.name).toBe(`Name ${body.zones?.[0]?.maxRadius}`)
})

test('200: after a PUT of the restaurant, orders use the earlier menu and the new tax rate', async () => {
  const item = menuItem(4)
  const apiKey = await aRestaurant()
  await putMenu(apiKey, menuOf([item]))
  await put({ taxRate: 0.5 }, apiKey)
  expect(
    await call('/publicapi/v1/validate-order', {
      body: {
        restaurantApiKey: apiKey,
        items: [{ apiKey: item.apiKey }],
        method: 'pickup',
        payment: 'cash',
        recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
      },
    }),
  ).toMatchObject({ status: 200, body: { subtotal: 4, tax: 2, total: 6 } })
})
