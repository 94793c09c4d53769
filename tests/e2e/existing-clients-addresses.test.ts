import { expect, test } from 'vitest'
import { anOrder, seedRestaurants, home, maria, post, register } from './client.ts'
import type { Order, ProblemBody } from './client.ts'

type Address = { city: string; state: string; zip: string; latitude: number | null; longitude: number | null }

const add = async <T = Address>(address: object) =>
  post<T>(`user/${(await register()).apiKey}/add-address`, address)
const { streetAddress } = home
const complete = { city: 'Madison', state: 'WI', zip: '53703' }

test.each<[string, object]>([
  ['the text of streetAddress', { streetAddress: `${streetAddress}, Madison, WI 53703` }],
  ['the ZIP code', { streetAddress, zip: '53703' }],
  ['latitude and longitude', { streetAddress, latitude: 43.0775, longitude: -89.3831 }],
  ['city and ZIP code, when state is missing', { streetAddress, city: 'Madison', zip: '53703' }],
  [
    'the text of streetAddress, when the ZIP code is missing',
    { streetAddress: `${streetAddress} 53703`, city: 'Madison', state: 'WI' },
  ],
])('Addresses: add-address completes an address from %s', async (_, address) => {
  const { status, body } = await add(address)
  expect(status).toBe(200)
  expect(body).toMatchObject(complete)
})

test('Addresses: validate-order completes a delivery address from streetAddress', async () => {
  const address = { streetAddress: `${streetAddress}, Madison, WI 53703, USA` }
  const order = await anOrder(seedRestaurants.aurora, { method: 'delivery', address, recipient: maria })
  const { status, body } = await post<Order>('validate-order', order)
  expect(status).toBe(200)
  expect(body.address).toMatchObject({ ...address, ...complete })
})

test('Addresses: a 400 names each address field that cannot be completed', async () => {
  const vague = { streetAddress: '1 Main St', city: 'Madison', state: 'WI' }
  expect(await add<ProblemBody>(vague)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/zip', code: 'missing-field' }] },
  })
  const order = await anOrder(seedRestaurants.aurora, {
    method: 'delivery',
    address: { streetAddress: 'somewhere' },
  })
  const { status, body } = await post<ProblemBody>('validate-order', order)
  expect(status).toBe(400)
  expect(body.errors.map(({ pointer }) => pointer)).toEqual([
    '/address/city',
    '/address/state',
    '/address/zip',
  ])
})

test('Addresses: all faults of an order and of its address are in one response', async () => {
  const order = await anOrder(seedRestaurants.closed, {
    method: 'delivery',
    address: { streetAddress: '1 Main St', city: 'Madison', state: 'WI' },
    recipient: { ...maria, apiKey: 'none' },
    tip: -1,
  })
  const { status, body } = await post<ProblemBody>('validate-order', order)
  expect(status).toBe(400)
  expect(body.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/address/zip', 'missing-field'],
    ['/restaurantApiKey', 'restaurant-closed'],
    ['/recipient/apiKey', 'user-not-found'],
    ['/tip', 'tip-out-of-range'],
  ])
})

test('Addresses: a saved address gets latitude and longitude when its ZIP code is known, and null when not', async () => {
  const known = (await add(home)).body
  expect(known.latitude).toBeCloseTo(43.07, 1)
  expect(known.longitude).toBeCloseTo(-89.38, 1)
  const unknown = await add({ ...home, zip: '00001' })
  expect(unknown).toMatchObject({ status: 200, body: { latitude: null, longitude: null, zip: '00001' } })
})
