import { RotateAccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { issueKey, newAccessKey, revoke, rotate, statusWith } from './access-keys.ts'
import { keyed, UNKNOWN_API_KEY } from './accounts.ts'
import { anOrder, call, seedRestaurants, eventually, sendOrder, becomes, expectConforms } from './client.ts'

test('a rotation under load fails no request: the old key keeps working, the new one works at once', async () => {
  const { id, accessKey: old } = await newAccessKey()
  // Skips the test on another platform before the loops, whose rejections no promise would handle.
  expect(await statusWith(old)).toBe(200)
  const state = { key: old, done: false, requests: 0, failed: [] as number[] }
  const loads = Array.from({ length: 4 }, async () => {
    while (!state.done) {
      for (const key of new Set([old, state.key])) {
        const status = await statusWith(key)
        state.requests += 1
        if (status !== 200) state.failed.push(status)
      }
    }
  })
  await eventually(
    async () => state.requests,
    (count) => count > 20,
  )
  const { status, body } = await rotate(id, { overlapMinutes: 5 })
  state.key = body.accessKey
  const before = state.requests
  await eventually(
    async () => state.requests,
    (count) => count > before + 60,
  )
  state.done = true
  await Promise.all(loads)
  expect(status).toBe(200)
  expectConforms(RotateAccessKey, body)
  expect(state.failed).toEqual([])
  expect(body.replaces.id).toBe(id)
  expect((body.replaces.expires ?? 0) - body.replaces.created).toBeGreaterThanOrEqual(300)
})

test('a rotation without overlap ends the old key, which cannot be rotated again (409)', async () => {
  const { id, accessKey } = await newAccessKey()
  expect((await rotate(id, { overlapMinutes: '0' })).status).toBe(200)
  expect(await becomes(() => statusWith(accessKey), '401')).toBe('401')
  expect(await rotate(id)).toMatchObject({ status: 409, body: { code: 'access-key-ended' } })
})

test('Idempotency-Key: a rotation is replayed, and the new key replays an order of the old key', async () => {
  const { id, accessKey } = await newAccessKey()
  const order = await anOrder(seedRestaurants.aurora)
  const key = keyed()
  const first = await sendOrder(order, { key: accessKey, ...key })
  const options = keyed()
  const [one, again] = [await rotate(id, {}, options), await rotate(id, {}, options)]
  expect(again.body).toEqual(one.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const resent = await sendOrder(order, { key: one.body.accessKey, ...key })
  expect(resent.headers.get('idempotent-replayed')).toBe('true')
  expect(resent.body.apiKey).toBe(first.body.apiKey)
})

test('a restaurant key and an operator key rotate into keys of their own kind', async () => {
  const restaurant = await issueKey(`restaurants/${seedRestaurants.aurora}/access-keys`, { mode: 'test' })
  const { body: ofRestaurant } = await rotate(restaurant.id)
  expect(ofRestaurant.accessKey).toMatch(/^platter_test_/)
  expect((await call('/restaurantapi/v1/orders?limit=1', { key: ofRestaurant.accessKey })).status).toBe(200)
  const another = await issueKey('access-keys')
  const { body: ofOperator } = await rotate(another.id)
  expect((await call('/operatorapi/v1/applications?limit=1', { key: ofOperator.accessKey })).status).toBe(200)
  expect((await revoke(ofOperator.id)).status).toBe(200)
})

test('400: an overlap that is not a number of minutes, longer than thirty days, or negative', async () => {
  const { id } = await newAccessKey()
  for (const overlapMinutes of ['soon', -1, 43_201, 1.5])
    expect(await rotate(id, { overlapMinutes })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/overlapMinutes' }] },
    })
})

test('404 access-key-not-found for an unknown key', async () => {
  expect(await rotate(UNKNOWN_API_KEY)).toMatchObject({ status: 404, body: { code: 'access-key-not-found' } })
})
