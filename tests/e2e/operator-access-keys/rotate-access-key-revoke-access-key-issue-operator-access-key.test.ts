import { setTimeout as wait } from 'node:timers/promises'
import {
  ApplicationAccessKeys,
  changeTimes,
  RevokeAccessKey,
  RotateAccessKey,
  type AccessKey,
} from '@platter/contracts'
import { expect, test } from 'vitest'
import { Stream } from '../../support/event-stream.ts'
import { keyed, NOBODYS_KEY } from '../accounts.ts'
import {
  anOrder,
  call,
  cast,
  eventually,
  fromElsewhere,
  get,
  operator,
  sendOrder,
  stack,
  type ProblemBody,
} from '../client.ts'
import { ownStack } from '../stack.ts'
import { expectConforms } from '../conforms.ts'

type Issued = { id: string; accessKey: string; prefix: string }
type Rotated = Issued & { replaces: AccessKey } & ProblemBody

async function anApplication(): Promise<string> {
  return (await operator<{ id: string }>('POST', 'applications', { name: 'keys' })).body.id
}
const issue = async (path: string, body: unknown = {}) => (await operator<Issued>('POST', path, body)).body
const aKey = async () => issue(`applications/${await anApplication()}/access-keys`)
const revoke = (id: string) => operator<AccessKey & ProblemBody>('POST', `access-keys/${id}/revoke`)
const rotate = (id: string, body: unknown = {}) => operator<Rotated>('POST', `access-keys/${id}/rotate`, body)

const statusWith = async (key: string) =>
  (await get('restaurant/search?limit=1', { key, ...fromElsewhere() })).status

/** Until six requests in a row, which go to all replicas, are refused. Within a second: services/gateway/src/access-keys.unit.test.ts. */
const untilRefused = (key: string) =>
  eventually(
    async () => {
      const statuses: number[] = []
      for (let count = 0; count < 6; count++) statuses.push(await statusWith(key))
      return new Set(statuses)
    },
    (statuses) => statuses.size === 1 && statuses.has(401),
  )

test('a revoked key is rejected by every replica, and stays revoked', async () => {
  const { id, accessKey } = await aKey()
  expect(await statusWith(accessKey)).toBe(200)
  const { status, body } = await revoke(id)
  expect(status).toBe(200)
  expectConforms(RevokeAccessKey, body)
  expect(body.revoked).toBeGreaterThan(0)
  expect(await untilRefused(accessKey)).toEqual(new Set([401]))
  expect((await revoke(id)).body).toEqual(body)
})

/** An answer, apart from which request it was. */
async function refusalOf(key: string) {
  const { status, headers, body } = await get<ProblemBody>('restaurant/search?limit=1', { key })
  const told = Object.fromEntries(headers)
  for (const name of ['date', 'x-request-id']) delete told[name]
  return { status, headers: told, body: { ...body, requestId: '' } }
}

test('401 in the same bytes for a key that is revoked, expired, unknown, mistyped or sent twice', async () => {
  ownStack()
  const [revoked, expired] = [await aKey(), await aKey()]
  await revoke(revoked.id)
  await rotate(expired.id, { overlapMinutes: 0 })
  const known = stack().accessKey
  const mistyped = known.slice(0, -1) + (known.endsWith('0') ? '1' : '0')
  const keys = [revoked.accessKey, expired.accessKey, NOBODYS_KEY, mistyped, `${known}, ${known}`, 'x']
  const refusals = await Promise.all(keys.map(refusalOf))
  expect(refusals[0]).toMatchObject({ status: 401, body: { code: 'access-token-invalid' } })
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
})

test('a rotation under load fails no request: the old key keeps working, the new one works at once', async () => {
  const { id, accessKey: old } = await aKey()
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

test('without an overlap the old key ends, and cannot be rotated any more', async () => {
  const { id, accessKey } = await aKey()
  expect((await rotate(id, { overlapMinutes: '0' })).status).toBe(200)
  expect(await untilRefused(accessKey)).toEqual(new Set([401]))
  expect(await rotate(id)).toMatchObject({ status: 409, body: { code: 'access-key-ended' } })
})

/** The longest: the gateway waits 20 % longer at most. */
const ROUND_MS = 1.2 * changeTimes.streamKeys

test('the revocation of a rotated key ends its own stream, and not the stream of the new key', async () => {
  const { restaurants, gateway } = stack()
  const { id, accessKey: old } = await issue(`restaurants/${restaurants[0]!.apiKey}/access-keys`)
  const { body: rotated } = await rotate(id, { overlapMinutes: 5 })
  const open = (key: string) => Stream.open(`${gateway}/restaurantapi/v1/orders/stream`, { key })
  const ofOld = await open(old)
  const ofNew = await open(rotated.accessKey)
  await revoke(id)
  await ofOld.ended()
  // Two more rounds of the check that ends streams.
  await wait(2 * ROUND_MS)
  expect(ofNew.isOver).toBe(false)
  ofNew.close()
})

test('Idempotency-Key: a rotation is done once, and an order that was sent with the old key is found with the new one', async () => {
  const { id, accessKey } = await aKey()
  const order = await anOrder(cast.aurora)
  const key = keyed()
  const first = await sendOrder(order, { key: accessKey, ...key })
  const path = `/operatorapi/v1/access-keys/${id}/rotate`
  const options = { method: 'POST', key: stack().operatorKey, body: {}, ...keyed() }
  const [one, again] = [await call<Rotated>(path, options), await call<Rotated>(path, options)]
  expect(again.body).toEqual(one.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const resent = await sendOrder(order, { key: one.body.accessKey, ...key })
  expect(resent.headers.get('idempotent-replayed')).toBe('true')
  expect(resent.body.apiKey).toBe(first.body.apiKey)
})

test('a restaurant key and an operator key are rotated as well, each into one of its kind', async () => {
  const restaurant = await issue(`restaurants/${cast.aurora}/access-keys`, { mode: 'test' })
  const { body: ofRestaurant } = await rotate(restaurant.id)
  expect(ofRestaurant.accessKey).toMatch(/^platter_test_/)
  expect((await call('/restaurantapi/v1/orders?limit=1', { key: ofRestaurant.accessKey })).status).toBe(200)
  const another = await issue('access-keys')
  const { body: ofOperator } = await rotate(another.id)
  expect((await call('/operatorapi/v1/applications?limit=1', { key: ofOperator.accessKey })).status).toBe(200)
  expect((await revoke(ofOperator.id)).status).toBe(200)
})

test('the list has the keys newest first, when each was last used, and never a key', async () => {
  const application = await anApplication()
  const path = `applications/${application}/access-keys`
  const [older, newer] = [await issue(path), await issue(path)]
  await statusWith(older.accessKey)
  const list = await eventually(
    async () => (await operator<AccessKey[]>('GET', path)).body,
    (keys) => keys.at(-1)?.lastUsed !== null,
  )
  expectConforms(ApplicationAccessKeys, list)
  expect(list.map(({ id }) => id)).toEqual([newer.id, older.id])
  expect(list[0]).toMatchObject({ lastUsed: null, revoked: null, expires: null, prefix: newer.prefix })
  expect(JSON.stringify(list)).not.toContain(newer.accessKey)
  const page = await operator<AccessKey[]>('GET', `${path}?limit=1`)
  const next = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  expect((await operator<AccessKey[]>('GET', next)).body.map(({ id }) => id)).toEqual([older.id])
})

test('every application is in the list', async () => {
  const id = await anApplication()
  const { body } = await operator<{ id: string; name: string }[]>('GET', 'applications')
  expect(body).toContainEqual(expect.objectContaining({ id, name: 'keys' }))
})

test('keys of restaurants and of operators have lists of their own', async () => {
  const { id } = await issue(`restaurants/${cast.slow}/access-keys`)
  const ofRestaurant = await operator<AccessKey[]>('GET', `restaurants/${cast.slow}/access-keys`)
  expect(ofRestaurant.body.map((key) => key.id)).toContain(id)
  const ofOperators = await operator<AccessKey[]>('GET', 'access-keys')
  expect(new Set(ofOperators.body.map(({ kind }) => kind))).toEqual(new Set(['operator']))
})

test('404: unknown keys and applications', async () => {
  expect(await revoke(NOBODYS_KEY)).toMatchObject({ status: 404, body: { code: 'access-key-not-found' } })
  expect(await rotate(NOBODYS_KEY)).toMatchObject({ status: 404, body: { code: 'access-key-not-found' } })
  expect(await operator('GET', `applications/${NOBODYS_KEY}/access-keys`)).toMatchObject({
    status: 404,
    body: { code: 'application-not-found' },
  })
})

test('400: an overlap that is not a number of minutes, longer than thirty days, or negative', async () => {
  const { id } = await aKey()
  for (const overlapMinutes of ['soon', -1, 43_201, 1.5])
    expect(await rotate(id, { overlapMinutes })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/overlapMinutes' }] },
    })
})
