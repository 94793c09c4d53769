import { expect, test } from 'vitest'
import type { Place } from '#/domain/place.ts'
import type { Geocoder } from '#/outside/geocoder.ts'
import { whereIs } from '#/whereabouts.ts'

const point = { latitude: 43.07, longitude: -89.38 }
const madison: Place = { point, streetAddress: '', city: 'Madison', state: 'WI', zip: '53703' }
const geocoder: Geocoder = {
  locate: async (address) => (address === 'Atlantis' ? null : { ...madison, streetAddress: address }),
  around: (at) => (at.latitude > 0 ? { ...madison, point: at } : null),
  onlyZipOf: () => '',
  isZip: () => true,
}
const none = { 'street-address': undefined, latitude: undefined, longitude: undefined }

test('a query without a place means none', async () => {
  expect(await whereIs(geocoder, none)).toBeNull()
})

test('an address in words is looked up', async () => {
  expect(await whereIs(geocoder, { ...none, 'street-address': '1 Main St' })).toMatchObject({
    streetAddress: '1 Main St',
  })
})

test('address-not-found-on-map points at the query', async () => {
  await expect(whereIs(geocoder, { ...none, 'street-address': 'Atlantis' })).rejects.toMatchObject({
    code: 'address-not-found-on-map',
    faults: [{ pointer: 'query/street-address' }],
  })
})

test('a point counts more than an address, except for the ZIP code that the address ends with', async () => {
  expect(await whereIs(geocoder, { ...point, 'street-address': 'Atlantis' })).toEqual(madison)
  expect(await whereIs(geocoder, { ...point, 'street-address': '1 A St, Madison, WI 53715' })).toEqual({
    ...madison,
    zip: '53715',
  })
})

test('a point in no ZIP code area is a place all the same', async () => {
  const south = { latitude: -43, longitude: 0 }
  expect(await whereIs(geocoder, { ...none, ...south })).toMatchObject({ point: south, zip: '', city: '' })
})

test.each([
  [{ latitude: 43 }, 'query/longitude'],
  [{ longitude: -89 }, 'query/latitude'],
])('half a point (%j) is missing-field at %s', async (half, pointer) => {
  await expect(whereIs(geocoder, { ...none, ...half })).rejects.toMatchObject({
    code: 'missing-field',
    faults: [{ pointer }],
  })
})
