import { expect, test } from 'vitest'
import type { Place } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { findPlace, requirePlace } from '#/query-place.ts'

const point = { latitude: 43.07, longitude: -89.38 }
const madison: Place = { point, streetAddress: '', city: 'Madison', state: 'WI', zip: '53703' }
const geocoder: Geocoder = {
  locate: async (address) => (address === 'Atlantis' ? null : { ...madison, streetAddress: address }),
  around: (at) => (at.latitude > 0 ? { ...madison, point: at } : null),
  onlyZipOf: () => '',
  isZip: () => true,
}
const none = { 'street-address': undefined, latitude: undefined, longitude: undefined }

test('a query without an address or a point has no place', async () => {
  expect(await requirePlace(geocoder, none)).toBeNull()
})

test('an address is located', async () => {
  expect(await requirePlace(geocoder, { ...none, 'street-address': '1 Main St' })).toMatchObject({
    streetAddress: '1 Main St',
  })
})

test('address-not-found-on-map points to query/street-address, and names the fields to correct', async () => {
  await expect(requirePlace(geocoder, { ...none, 'street-address': 'Atlantis' })).rejects.toMatchObject({
    code: 'address-not-found-on-map',
    message: 'The address was not found on the map. Check its city, state and ZIP code.',
    faults: [{ pointer: 'query/street-address' }],
  })
})

test('a point takes precedence over an address, except for the ZIP code at its end', async () => {
  expect(await requirePlace(geocoder, { ...point, 'street-address': 'Atlantis' })).toEqual(madison)
  expect(await requirePlace(geocoder, { ...point, 'street-address': '1 A St, Madison, WI 53715' })).toEqual({
    ...madison,
    zip: '53715',
  })
})

test('a point outside all ZIP code areas is a place without city and ZIP code', async () => {
  const south = { latitude: -43, longitude: 0 }
  expect(await requirePlace(geocoder, { ...none, ...south })).toMatchObject({
    point: south,
    zip: '',
    city: '',
  })
})

test.each([
  [{ latitude: 43 }, 'query/longitude'],
  [{ longitude: -89 }, 'query/latitude'],
])('half a point (%j) is missing-field at %s', async (half, pointer) => {
  await expect(requirePlace(geocoder, { ...none, ...half })).rejects.toMatchObject({
    code: 'missing-field',
    faults: [{ pointer }],
  })
})

test.each([
  ['half a point', { latitude: 43 }],
  ['an address that is not found', { 'street-address': 'Atlantis' }],
])('findPlace returns null for %s', async (_, query) => {
  expect(await findPlace(geocoder, { ...none, ...query })).toBeNull()
})
