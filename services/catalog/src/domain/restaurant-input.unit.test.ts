import { RestaurantInput } from '@platter/contracts'
import { expect, test } from 'vitest'
import { restaurantFaults, restaurantFrom, searchText, takenZoneFaults } from '#/domain/restaurant-input.ts'
import { detailsRecord, placeRecord, restaurantRecord } from '#/domain/restaurant-record.ts'

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
const kept = (over: object = {}) => restaurantFrom('ajanta', input(over))
const here = { latitude: body.latitude, longitude: body.longitude }

test('a restaurant comes out as it went in, from Monday on, with what was left out filled in', () => {
  const record = detailsRecord(kept({ zones }), { place: null, now: NOON })
  expect(record).toEqual({
    ...body,
    logoUrl: '',
    url: '',
    minFreeDelivery: -1,
    isTestRestaurant: false,
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

test('a day without hours is left out', () => {
  const hours = { Monday: [], Friday: ['11:00 AM - 3:00 AM'] }
  expect(detailsRecord(kept({ hours }), { place: null, now: NOON }).hours).toEqual({
    Friday: hours.Friday,
  })
})

test('inside, money is cents, the tax parts per million, and never-free null', () => {
  expect(kept()).toMatchObject({ deliveryPrice: 299, taxRatePpm: 55_000, minFreeDelivery: null })
  expect(kept({ minFreeDelivery: 0 }).minFreeDelivery).toBe(0)
})

const deliveryAt = (point: { latitude: number; longitude: number }, zip: string) => {
  const place = { point, zip, streetAddress: '', city: '', state: '' }
  const record = restaurantRecord(kept({ zones }), { place, now: NOON })
  return [record.offersDelivery, record.deliveryMin, record.deliveryPrice]
}

test('for a place, minimum and price are those of its zone, and outside every zone there is no delivery', () => {
  const away = { latitude: 0, longitude: 0 }
  expect(deliveryAt(here, '')).toEqual([true, 10, 0.99])
  expect(deliveryAt(away, '53704')).toEqual([true, 15, 2.99])
  expect(deliveryAt(away, '')).toEqual([false, 15, 2.99])
})

test('zones are shown in the details only', () => {
  expect(restaurantRecord(kept({ zones }), { place: null, now: NOON })).not.toHaveProperty('zones')
})

test.each([
  ['another apiKey than the path’s', { apiKey: 'other' }, '/apiKey'],
  ['a tax rate with seven decimals', { taxRate: 0.0555555 }, '/taxRate'],
  ['a shortest wait that is longer than the longest', { minWaitTime: 46 }, '/minWaitTime'],
  ['two zones of one key', { zones: [zones[0], zones[0]] }, '/zones/1/apiKey'],
])('invalid-field: %s', (_, over, pointer) => {
  expect(faultsOf(over)).toEqual([[pointer, 'invalid-field']])
})

test('an apiKey may be left out of the body, and six decimals of tax are exact', () => {
  expect(faultsOf({ apiKey: undefined, taxRate: 0.088875 })).toEqual([])
  expect(restaurantRecord(kept({ taxRate: 0.088875 }), { place: null, now: NOON }).taxRate).toBe(0.088875)
})

test('apikey-taken points at the zones whose key is another restaurant’s', () => {
  expect(takenZoneFaults(input({ zones }), new Set(['far']))).toMatchObject([
    { pointer: '/zones/1/apiKey', code: 'apikey-taken' },
  ])
})

test('name and food types can be searched in', () => {
  expect(searchText(kept())).toBe('ajanta\nindian\ncrepes')
})

test('the place of a search has "" for what is not known', () => {
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
