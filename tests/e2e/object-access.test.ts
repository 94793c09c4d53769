import { operations, problems } from '@platter/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Stream } from '../support/event-stream.ts'
import { elsewhere, newEmail, PASSWORD, person, signin } from './accounts.ts'
import { call, get, maria, post, sendOrder, stack, type Order, type User } from './client.ts'
import { fullOrder, makeWorld, type World } from './foreign-objects.ts'
import {
  acceptedBy,
  bodyOf,
  codeOf,
  isOrder,
  ofTenants,
  places,
  requestWith,
  sendRequest,
} from './foreign-requests.ts'
import { newKey } from './own-restaurant.ts'

/*
 * Generated from the list of operations. Every identifier of an operation is replaced by every object of another tenant. The
 * response must equal, byte for byte, the response for an unknown key.
 */

let world: World
beforeAll(async () => {
  world = await makeWorld()
})

type JsonSchema = z.core.JSONSchema.JSONSchema

function keysIn(whole: JsonSchema): string[] {
  const found = new Set<string>()
  const walk = (schema: JsonSchema, at: string): void => {
    const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema
    if ($ref) walk(whole.$defs?.[$ref.replace('#/$defs/', '')] as JsonSchema, at)
    for (const each of [...anyOf, ...oneOf, ...allOf]) walk(each, at)
    if (items) walk(items as JsonSchema, `${at}/*`)
    for (const [name, member] of Object.entries(properties)) {
      if (/apiKey$/i.test(name)) found.add(`${at}/${name}`)
      walk(member as JsonSchema, `${at}/${name}`)
    }
  }
  walk(whole, '')
  return [...found]
}

/** Returns the value at a pointer into a body; `*` is the first element. */
const valueAt = (body: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .replaceAll('*', '0')
    .split('/')
    .reduce((value, step) => (value as Record<string, unknown>)[step], body)

test('only orders have an apiKey in their body, and the requests here have each of them', () => {
  for (const operation of ofTenants) {
    const { body = z.unknown() } = operation
    const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any', reused: 'inline' })
    const keys = keysIn(schema).map((pointer) => String(valueAt(fullOrder(world.own), pointer)))
    expect(keys.toSorted()).toEqual(isOrder(operation) ? Object.values(world.own).toSorted() : [])
  }
})

describe('byte-identical responses for an object of another tenant and for an unknown one', () => {
  test.each(places)('$name, $kind ($accept)', async (place) => {
    const { operation, accept, code, kind, isPublic } = place
    const accessKey = world.keys[operation.audience]
    const tryWith = (key: string) =>
      sendRequest(requestWith(world, place, key), key, { key: accessKey, headers: { accept } })
    const absent = await tryWith(newKey())
    expect({ status: absent.status, code: codeOf(absent) }).toEqual({ status: problems[code].status, code })
    const closed = Object.entries(world.foreign).filter(([name]) => !isPublic || name !== kind)
    const responses = await Promise.all(
      closed.map(async ([name, key]) => [name, await tryWith(key)] as const),
    )
    expect(Object.fromEntries(responses)).toEqual(Object.fromEntries(closed.map(([name]) => [name, absent])))
  })

  test('an order with recipient, card and address of one foreign account gets the same 404', async () => {
    const [validate] = operations.filter(({ name }) => name === 'validate-order')
    const { own, foreign: theirs } = world
    const accountOf = (recipient: unknown, cardKey: string, addressKey: string) => ({
      ...fullOrder({ ...own, card: cardKey, address: addressKey }),
      recipient,
    })
    const tryWith = (body: unknown) => sendRequest({ method: 'POST', path: validate!.path, body }, '-', {})
    const [foreign, absent, guests, absentGuests] = await Promise.all([
      tryWith(accountOf({ apiKey: theirs.user }, theirs.card, theirs.address)),
      tryWith(accountOf({ apiKey: newKey() }, newKey(), newKey())),
      tryWith(accountOf(maria, theirs.card, theirs.address)),
      tryWith(accountOf(maria, newKey(), newKey())),
    ])
    expect(foreign).toMatchObject({ status: 404 })
    expect(foreign).toEqual(absent)
    expect(guests).toMatchObject({ status: 404 })
    expect(guests).toEqual(absentGuests)
  })

  test.each(['remove-card', 'remove-address'])('404 user-not-found: %s of a foreign user', async (name) => {
    const theirs = world.foreign
    const own = name === 'remove-card' ? theirs.card : theirs.address
    const [foreign, absent] = await Promise.all([
      post<{ code: string }>(`user/${theirs.user}/${name}/${own}`, {}),
      post<{ code: string }>(`user/${newKey()}/${name}/${newKey()}`, {}),
    ])
    expect([foreign.status, foreign.body.code]).toEqual([404, 'user-not-found'])
    expect([absent.status, absent.body.code]).toEqual([404, 'user-not-found'])
  })

  test('no request changes an object of another tenant', async () => {
    const { foreign } = world
    const { body: account } = await get<User>(`user/${foreign.user}`, elsewhere())
    expect(account).toMatchObject({
      firstName: maria.firstName,
      creditCards: [{ apiKey: foreign.card }],
      savedAddresses: [{ apiKey: foreign.address }],
    })
    for (const apiKey of [foreign.order, foreign.guestsOrder]) {
      const { body: placed } = await get<Order>(`order/${apiKey}`, elsewhere())
      expect(placed).toMatchObject({ status: 'AWAITING_PREPARATION', cancellation: null })
    }
    const { body: groups } = await get(`customizations/${foreign.item}`)
    expect(JSON.stringify(groups)).toContain('"available":true')
    expect(JSON.stringify(groups)).not.toContain('"available":false')
  })
})

describe('403 not-allowed for an access key of another audience, equal for every object', () => {
  test.each(operations.map((operation) => ({ name: operation.name, operation })))(
    '$name',
    async ({ operation }) => {
      const { foreign, own, keys } = world
      const wrong = Object.entries(keys).filter(([kind]) => kind !== operation.audience)
      const objects = [newKey(), foreign.order, foreign.user, foreign.restaurant, own.user, own.restaurant]
      const named = operation.path.includes(':') ? objects : [newKey()]
      const requests = wrong.flatMap(([kind, accessKey]) =>
        acceptedBy(operation).flatMap((accept) => named.map((key) => ({ kind, accessKey, accept, key }))),
      )
      const responses = await Promise.all(
        requests.map(({ accessKey, accept, key }) => {
          const path = operation.path.replaceAll(/:\w+/g, key)
          const body = operation.method === 'GET' ? undefined : (bodyOf(operation, own) ?? {})
          const options = { key: accessKey, headers: { accept } }
          return sendRequest({ method: operation.method, path, body }, key, options)
        }),
      )
      for (const response of responses) {
        expect({ status: response.status, code: codeOf(response) }).toEqual({
          status: 403,
          code: 'not-allowed',
        })
        expect(response).toEqual(responses[0])
      }
    },
  )
})

/** Returns the foreign objects that a response names. */
const foreignObjectsIn = (value: unknown) =>
  Object.entries(world.foreign)
    .filter(([, key]) => JSON.stringify(value).includes(key))
    .map(([kind]) => kind)

describe('own objects in responses of operations without an identifier', () => {
  test.each(['orders', 'orders?open=true', 'restaurant', 'menu'])('restaurantapi: %s', async (path) => {
    const { status, body } = await call(`/restaurantapi/v1/${path}`, { key: world.keys.restaurant })
    expect(status).toBe(200)
    expect(foreignObjectsIn(body)).toEqual([])
  })

  test('restaurantapi: orders/stream', async () => {
    const url = `${stack().gateway}/restaurantapi/v1/orders/stream`
    const stream = await Stream.open(url, { key: world.keys.restaurant })
    await stream.until(({ event }) => event === 'ready')
    stream.close()
    expect(foreignObjectsIn(stream.events)).toEqual([])
  })
})

test('an order stays readable to its application, and is readable here after its recipient signs in', async () => {
  const email = newEmail()
  const { body: recipient } = await post<User>('register-user', person({ email }), elsewhere())
  const { restaurantApiKey, items } = fullOrder(world.own)
  const { body: placed } = await sendOrder(
    { restaurantApiKey, items, method: 'pickup', payment: 'cash', recipient: { apiKey: recipient.apiKey } },
    elsewhere(),
  )
  const paths = [
    `order/${placed.apiKey}`,
    `order/${placed.apiKey}/statuses`,
    `user/${recipient.apiKey}/orders`,
  ]
  const read = (options = {}) => Promise.all(paths.map(async (path) => (await get(path, options)).status))
  expect(await read(elsewhere())).toEqual([200, 200, 200])
  expect(await read()).toEqual([404, 404, 404])
  await signin(email, PASSWORD)
  expect(await read()).toEqual([200, 200, 200])
  expect(await read(elsewhere())).toEqual([200, 200, 200])
})
