import { Problem } from '@platter/kit'
import { expect, test } from 'vitest'
import { createGeocoder, type Geocoder } from '#/outside/geocoder.ts'
import { completeAddress } from '#/handlers/complete-address.ts'

const geocoder = createGeocoder(undefined)
const complete = completeAddress({ geocoder })
const given = { streetAddress: '1 Main St' }
const madison = { city: 'Madison', state: 'WI', zip: '53703' }

test('fields of the client stay unchanged', async () => {
  const own = { city: 'madison', state: 'Wisconsin', zip: '53703-1234' }
  expect(await complete({ ...given, ...own })).toMatchObject(own)
})

test('a known ZIP code takes precedence over a point, which may be that of another place', async () => {
  const elsewhere = { latitude: 34.05, longitude: -118.24 }
  const { point } = await complete({ ...given, ...madison })
  expect(point).not.toBeNull()
  expect(await complete({ ...given, ...madison, ...elsewhere })).toMatchObject({ ...madison, point })
  expect(await complete({ ...given, zip: '53703-1234', ...elsewhere })).toMatchObject({
    city: 'Madison',
    state: 'WI',
    point,
  })
})

test('a point takes precedence over the text', async () => {
  const point = { latitude: 43.0775, longitude: -89.3831 }
  expect(await complete({ ...given, streetAddress: '1 Main St, Chicago, IL 60601', ...point })).toEqual({
    ...madison,
    point,
    isUnavailable: false,
  })
})

test('the text is located when the point is outside all ZIP code areas', async () => {
  const point = { latitude: 0, longitude: 0 }
  expect(await complete({ ...given, zip: '53703', ...point })).toMatchObject(madison)
})

test.each([
  [{ city: 'Lake Geneva', state: 'WI' }, '53147'],
  [{ city: "O'Fallon", state: 'Illinois' }, '62269'],
  [{ city: 'Madison', state: 'WI' }, ''],
])('the ZIP code of %j is %j: only a city with one ZIP code determines it', async (address, zip) => {
  expect(await complete({ ...given, ...address })).toMatchObject({ ...address, zip })
})

test('unknown fields are empty, and there is no point without a known ZIP code', async () => {
  expect(await complete(given)).toEqual({ city: '', state: '', zip: '', point: null, isUnavailable: false })
  expect(await complete({ ...given, city: 'Madison', state: 'WI' })).toMatchObject({ zip: '', point: null })
  expect(await complete({ ...given, ...madison, zip: '00001' })).toMatchObject({ point: null })
})

test('reports an unavailable geocoder, unlike an address that is not found', async () => {
  const unavailable: Geocoder = {
    ...geocoder,
    locate: () => Promise.reject(new Problem('service-unavailable', 'Try again.')),
  }
  expect(await completeAddress({ geocoder: unavailable })({ ...given, zip: '53703' })).toEqual({
    city: '',
    state: '',
    zip: '53703',
    point: null,
    isUnavailable: true,
  })
})
