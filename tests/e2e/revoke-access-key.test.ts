import { setTimeout as wait } from 'node:timers/promises'
import { changeTimes, RevokeAccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { Stream } from '../support/event-stream.ts'
import { issueKey, newAccessKey, revoke, rotate, statusWith } from './access-keys.ts'
import { UNKNOWN_API_KEY } from './accounts.ts'
import { get, stack, type ProblemBody, becomes, expectConforms } from './client.ts'
import { ownStack } from './stack.ts'

test('a revoked key is rejected by every replica, and stays revoked', async () => {
  const { id, accessKey } = await newAccessKey()
  expect(await statusWith(accessKey)).toBe(200)
  const { status, body } = await revoke(id)
  expect(status).toBe(200)
  expectConforms(RevokeAccessKey, body)
  expect(body.revoked).toBeGreaterThan(0)
  expect(await becomes(() => statusWith(accessKey), '401')).toBe('401')
  expect((await revoke(id)).body).toEqual(body)
})

/** Returns a response without the identity of its request. */
async function refusalOf(key: string) {
  const { status, headers, body } = await get<ProblemBody>('restaurant/search?limit=1', { key })
  const compared = Object.fromEntries(headers)
  for (const name of ['date', 'x-request-id']) delete compared[name]
  return { status, headers: compared, body: { ...body, requestId: '' } }
}

test('401 in the same bytes for a key that is revoked, expired, unknown, mistyped or sent twice', async () => {
  ownStack()
  const [revoked, expired] = [await newAccessKey(), await newAccessKey()]
  await revoke(revoked.id)
  await rotate(expired.id, { overlapMinutes: 0 })
  const known = stack().accessKey
  const mistyped = known.slice(0, -1) + (known.endsWith('0') ? '1' : '0')
  const keys = [revoked.accessKey, expired.accessKey, UNKNOWN_API_KEY, mistyped, `${known}, ${known}`, 'x']
  const refusals = await Promise.all(keys.map(refusalOf))
  expect(refusals[0]).toMatchObject({ status: 401, body: { code: 'access-token-invalid' } })
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
})

/** The longest round: the gateway waits at most 20 % longer. */
const ROUND_MS = 1.2 * changeTimes.streamKeys

test('the revocation of a rotated key ends its own stream, and not the stream of the new key', async () => {
  const { restaurants, gateway } = stack()
  const { id, accessKey: old } = await issueKey(`restaurants/${restaurants[0]!.apiKey}/access-keys`)
  const { body: rotated } = await rotate(id, { overlapMinutes: 5 })
  const open = (key: string) => Stream.open(`${gateway}/restaurantapi/v1/orders/stream`, { key })
  const ofOld = await open(old)
  const ofNew = await open(rotated.accessKey)
  await revoke(id)
  await ofOld.ended()
  // Two further rounds of the check that ends streams.
  await wait(2 * ROUND_MS)
  expect(ofNew.isOver).toBe(false)
  ofNew.close()
})

test('404 access-key-not-found for an unknown key', async () => {
  expect(await revoke(UNKNOWN_API_KEY)).toMatchObject({ status: 404, body: { code: 'access-key-not-found' } })
})
