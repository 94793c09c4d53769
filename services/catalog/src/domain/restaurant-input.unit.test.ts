import { RestaurantInput } from '@platter/contracts'
import { expect, test } from 'vitest'
import { locatedZones, restaurantFaults, restaurantOf } from '#/domain/restaurant-input.ts'
import { takenKeys } from '#/domain/api-keys.ts'
import { detailsRecord, placeRecord, restaurantRecord } from '#/domain/restaurant-record.ts'
import { restaurantText } from '#/domain/search.ts'

// A Friday, 12:00 in Madison.
const NOON = Date.parse('2026-11-20T18:00Z')

const body = {
  apiKey: 'ajanta',
  name: 'Ajanta',
  streetAddress: '1 Capitol Square',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.0747,
  longitude: -89.3844,
  phone: '608-555-0100',
  foodTypes: ['Indian', 'Crêpes'],
  deliveryMin: 15,
  deliveryPrice: 2.99,
  taxRate: 0.055,
  acceptsCash: true,
  acceptsCard: false,
  offersPickup: true,
  offersDelivery: true,
  customerCancelMinutes: 5,
  minWaitTime: 30,
  maxWaitTime: 45,
  hours: { Sunday: ['9:00 AM - 1:00 PM'], Friday: ['11:00 AM - 3:00 AM'] },
  timezone: 'US/Central',
}
const zones = [
  { apiKey: 'near', maxRadius: 2, deliveryMin: 10, deliveryPrice: 0.99 },
  { apiKey: 'far', zips: ['53704'] },
]
const input = (over: object = {}) => RestaurantInput.parse({ ...body, ...over })
const faultsOf = (over: object) =>
  restaurantFaults('ajanta', input(over)).map(({ pointer, code }) => [pointer, code])
const stored = (over: object = {}) => restaurantOf('ajanta', input(over))
const here = { latitude: body.latitude, longitude: body.longitude }

test('a restaurant is returned as it was put, with defaults, and with its days in order from Monday', () => {
  const record = detailsRecord(stored({ zones }), { place: null, now: NOON })
  expect(record).toEqual({
    ...body,
    logoUrl: '',
    url: '',
    minFreeDelivery: -1,
    isTestRestaurant: false,
    requireAttendance: true,
    open: true,
    zones: [
      {
        apiKey: 'near',
        maxRadius: 2,
        deliveryMin: 10,
        deliveryPrice: 0.99,
      },
      {
        apiKey: 'far',
        zips: ['53704'],
        deliveryMin: 15,
        deliveryPrice: 2.99,
      },
    ],
  })
  expect(Object.keys(record.hours)).toEqual(['Friday', 'Sunday'])
})

test('omits a day without hours', () => {
  const hours = { Monday: [], Friday: ['11:00 AM - 3:00 AM'] }
  expect(detailsRecord(stored({ hours }), { place: null, now: NOON }).hours).toEqual({
    Friday: hours.Friday,
  })
})

test('stores money in cents, the tax rate in parts per million, and null for delivery that is never free', () => {
  expect(stored()).toMatchObject({ deliveryPrice: 299, taxRatePpm: 55_000, minFreeDelivery: null })
  expect(stored({ minFreeDelivery: 0 }).minFreeDelivery).toBe(0)
})

const deliveryAt = (point: { latitude: number; longitude: number }, zip: string) => {
  const place = { point, zip, streetAddress: '', city: '', state: '' }
  const record = restaurantRecord(stored({ zones }), { place, now: NOON })
  return [record.offersDelivery, record.deliveryMin, record.deliveryPrice]
}

test('for a place, minimum and price are those of its zone; outside all zones there is no delivery', () => {
  const outside = { latitude: 0, longitude: 0 }
  expect(deliveryAt(here, '')).toEqual([true, 10, 0.99])
  expect(deliveryAt(outside, '53704')).toEqual([true, 15, 2.99])
  expect(deliveryAt(outside, '')).toEqual([false, 15, 2.99])
})

test('a ZIP+4 in a zone is its ZIP code, so the zone contains both spellings', () => {
  const plus4 = stored({ zones: [{ apiKey: 'far', zips: ['53704-1234'] }] })
  const place = { point: { latitude: 0, longitude: 0 }, streetAddress: '', city: '', state: '' }
  for (const zip of ['53704', '53704-1234'])
    expect(restaurantRecord(plus4, { place: { ...place, zip }, now: NOON }).offersDelivery).toBe(true)
})

test('zones are in the details only', () => {
  expect(restaurantRecord(stored({ zones }), { place: null, now: NOON })).not.toHaveProperty('zones')
})

test.each([
  ['an apiKey that differs from the path', { apiKey: 'other' }, '/apiKey'],
  ['a tax rate with seven decimals', { taxRate: 0.0555555 }, '/taxRate'],
  ['a minWaitTime above maxWaitTime', { minWaitTime: 46 }, '/minWaitTime'],
  ['two zones with one apiKey', { zones: [zones[0], zones[0]] }, '/zones/1/apiKey'],
])('invalid-field: %s', (_, over, pointer) => {
  expect(faultsOf(over)).toEqual([[pointer, 'invalid-field']])
})

const corners = (...longitudes: number[]) =>
  longitudes.map((longitude, at) => ({ latitude: 51 + (at % 2), longitude }))

test.each([
  ['points', { points: corners(179, 180, -179) }],
  ['holePoints', { maxRadius: 5, holePoints: corners(-179, -180, 179) }],
])('%s across the 180th meridian are refused, with what to do about it', (name, area) => {
  const { error } = RestaurantInput.safeParse({ ...body, zones: [{ apiKey: 'z', ...area }] })
  expect(error?.issues).toMatchObject([
    {
      path: ['zones', 0, name],
      message: 'crosses the 180th meridian: split the zone there into one for each side',
    },
  ])
})

test('points up to the 180th meridian on one side are accepted', () => {
  const points = corners(179, 180, 179.5)
  expect(input({ zones: [{ apiKey: 'z', points }] }).zones).toMatchObject([{ points }])
})

test('equal minWaitTime and maxWaitTime are accepted', () => {
  expect(faultsOf({ minWaitTime: 30, maxWaitTime: 30 })).toEqual([])
})

test('an apiKey is optional in the body, and six decimals of tax are exact', () => {
  expect(faultsOf({ apiKey: undefined, taxRate: 0.088875 })).toEqual([])
  expect(restaurantRecord(stored({ taxRate: 0.088875 }), { place: null, now: NOON }).taxRate).toBe(0.088875)
})

test('apikey-taken points to the zones with an apiKey of another restaurant', () => {
  expect(takenKeys(locatedZones(input({ zones })), new Set(['far']))).toMatchObject([
    { pointer: '/zones/1/apiKey', code: 'apikey-taken' },
  ])
})

test('the search text of a restaurant has its name and food types, without case and accents', () => {
  expect(restaurantText(stored())).toBe('ajanta\nindian\ncrepes')
})

test('the place of a search has "" or null for unknown fields', () => {
  expect(placeRecord(null)).toEqual({
    apiKey: null,
    streetAddress: '',
    aptNumber: null,
    city: '',
    state: '',
    zip: '',
    latitude: null,
    longitude: null,
  })
  const place = { point: here, streetAddress: '1 Main St', city: 'Madison', state: 'WI', zip: '53703' }
  expect(placeRecord(place)).toMatchObject({ ...here, streetAddress: '1 Main St', zip: '53703' })
})
