import { operations, takesIdempotencyKey, type Operation } from '@platter/contracts'
import { describe, expect, test } from 'vitest'
import { keyed, UNKNOWN_API_KEY, PASSWORD, person } from './accounts.ts'
import {
  anOrder,
  call,
  card,
  seedRestaurants,
  home,
  operator,
  post,
  register,
  sendOrder,
  stack,
  type Order,
  type ProblemBody,
  type User,
  paidByCard,
} from './client.ts'
import { aPlace } from './foreign-objects.ts'
import { aRestaurant } from './own-restaurant.ts'
import { plantDeadLetter, plantOverdue } from './planted.ts'

/** A request of an operation. `other` is another body, if the operation takes one. */
type Prepared = { path: string; key: string; body?: unknown; other?: unknown }

/** Creates a restaurant with one item that has one choice, and its requests. */
async function aKitchen() {
  const place = await aPlace()
  const { restaurant, key } = place
  const ofRestaurant = (path: string, body?: unknown, other?: unknown): Prepared => ({
    path: `/restaurantapi/v1/${path}`,
    key,
    body,
    other,
  })
  return {
    ...place,
    ofRestaurant,
    read: async <T>(path: string) => (await call<T>(`/restaurantapi/v1/${path}`, { key })).body,
    /** Places an order that its restaurant has not started. */
    order: async () => (await sendOrder(await anOrder(restaurant))).body.apiKey,
  }
}

const ofApplication = (path: string, body?: unknown, other?: unknown): Prepared => ({
  path: `/publicapi/v1/${path}`,
  key: stack().accessKey,
  body,
  other,
})
const ofOperator = (path: string, body?: unknown, other?: unknown): Prepared => ({
  path: `/operatorapi/v1/${path}`,
  key: stack().operatorKey,
  body,
  other,
})

const savedBy = async (user: User, kind: 'card' | 'address') =>
  (await post<{ apiKey: string }>(`user/${user.apiKey}/add-${kind}`, kind === 'card' ? card() : home)).body
    .apiKey

async function anOverdueOrder(): Promise<string> {
  const apiKey = await paidByCard()
  await plantOverdue(apiKey)
  return apiKey
}

const anApplication = async () =>
  (await operator<{ id: string }>('POST', 'applications', { name: 'an app' })).body.id
const anAccessKey = async () =>
  (await operator<{ id: string }>('POST', `applications/${await anApplication()}/access-keys`, {})).body.id

/** For each operation with an idempotency key, by its name: a request that succeeds once. */
const requests: Record<string, () => Promise<Prepared>> = {
  'register-user': async () => ofApplication('register-user', person(), person()),
  'update-user': async () =>
    ofApplication(
      `update-user/${(await register()).apiKey}`,
      { firstName: 'Marie', password: PASSWORD },
      { firstName: 'Mary' },
    ),
  'add-card': async () =>
    ofApplication(`user/${(await register()).apiKey}/add-card`, card(), { ...card(), nickname: 'other' }),
  'add-address': async () =>
    ofApplication(`user/${(await register()).apiKey}/add-address`, home, { ...home, aptNumber: '5' }),
  'remove-card': async () => {
    const user = await register()
    return ofApplication(`user/${user.apiKey}/remove-card/${await savedBy(user, 'card')}`)
  },
  'remove-address': async () => {
    const user = await register()
    return ofApplication(`user/${user.apiKey}/remove-address/${await savedBy(user, 'address')}`)
  },
  'send-order': async () => {
    const order = await anOrder(seedRestaurants.aurora)
    return ofApplication('send-order', order, { ...order, comments: 'another one' })
  },
  'report-status': async () => {
    const { ofRestaurant, order } = await aKitchen()
    return ofRestaurant(
      `order/${await order()}/status`,
      { status: 'PREPARING' },
      { status: 'READY_FOR_PICKUP' },
    )
  },
  'refuse-order': async () => {
    const { ofRestaurant, order } = await aKitchen()
    return ofRestaurant(
      `order/${await order()}/refuse`,
      { reason: 'The oven is broken.' },
      { reason: 'We are full.' },
    )
  },
  'cancel-order': async () => {
    const { order } = await aKitchen()
    return ofApplication(`order/${await order()}/cancel`)
  },
  'operator-cancel-order': async () => {
    const { order } = await aKitchen()
    return ofOperator(`orders/${await order()}/cancel`, { reason: 'Power failure' }, { reason: 'Flood' })
  },
  'refund-order': async () => {
    const { order } = await aKitchen()
    const path = `orders/${await order()}/refunds`
    return ofOperator(path, { amount: 1, reason: 'LATE' }, { amount: 2, reason: 'LATE' })
  },
  'refund-restaurant-order': async () => {
    const { ofRestaurant, order } = await aKitchen()
    return ofRestaurant(
      `order/${await order()}/refunds`,
      { amount: 1, reason: 'LATE' },
      { amount: 2, reason: 'LATE' },
    )
  },
  'item-availability': async () => {
    const { ofRestaurant, item } = await aKitchen()
    return ofRestaurant(`item/${item}/availability`, { available: false }, { available: true })
  },
  'choice-availability': async () => {
    const { ofRestaurant, choice } = await aKitchen()
    return ofRestaurant(`choice/${choice}/availability`, { available: false }, { available: true })
  },
  pause: async () => (await aKitchen()).ofRestaurant('pause', { minutes: 20 }, { minutes: 30 }),
  resume: async () => (await aKitchen()).ofRestaurant('resume'),
  'create-application': async () => ofOperator('applications', { name: 'one' }, { name: 'another' }),
  'issue-access-key': async () =>
    ofOperator(`applications/${await anApplication()}/access-keys`, { mode: 'live' }, { mode: 'test' }),
  'issue-restaurant-access-key': async () =>
    ofOperator(`restaurants/${await aRestaurant()}/access-keys`, { mode: 'live' }, { mode: 'test' }),
  'issue-operator-access-key': async () => ofOperator('access-keys', { mode: 'live' }, { mode: 'test' }),
  'revoke-access-key': async () => ofOperator(`access-keys/${await anAccessKey()}/revoke`),
  'rotate-access-key': async () =>
    ofOperator(`access-keys/${await anAccessKey()}/rotate`, { overlapMinutes: 60 }, { overlapMinutes: 0 }),
  'retry-attention': async () => ofOperator(`attention/saga_${await anOverdueOrder()}/retry`),
  'discard-attention': async () => ofOperator(`attention/letter_${await plantDeadLetter()}/discard`),
}

const send = ({ path, key, body }: Prepared, idempotencyKey: string) =>
  call<ProblemBody>(path, {
    method: 'POST',
    key,
    ...(body !== undefined && { body }),
    ...keyed(idempotencyKey),
  })

const idempotentOperations = operations.filter(takesIdempotencyKey)
const named = (list: readonly Operation[]) =>
  list.map((operation) => [`${operation.method} ${operation.path}`, operation] as const)

test('the table has a request for exactly the operations that accept an Idempotency-Key', () => {
  expect(Object.keys(requests).toSorted()).toEqual(idempotentOperations.map(({ name }) => name).toSorted())
})

const REPLAYED = 'idempotent-replayed'

test.each(named(idempotentOperations))(
  '%s has one response to five concurrent requests with one key, replays it byte for byte, and refuses another body (422)',
  async (_, { name, body: takesBody }) => {
    const prepared = await requests[name]!()
    const key = crypto.randomUUID()
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(prepared, key)))
    const done = responses.filter(({ status }) => status === 200)
    // The first request executes the operation. The others get its response, or an error while it is in flight.
    const [first, ...executedAgain] = done.filter(({ headers }) => !headers.has(REPLAYED))
    expect(executedAgain).toEqual([])
    for (const { status, headers, body } of responses.filter((response) => !done.includes(response)))
      expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'idempotency-in-flight', '1'])

    const again = await send(prepared, key)
    expect([again.status, again.headers.get(REPLAYED)]).toEqual([200, 'true'])
    for (const { text } of [...done, again]) expect(text).toBe(first?.text)

    if (!takesBody) return
    expect(await send({ ...prepared, body: prepared.other }, key)).toMatchObject({
      status: 422,
      body: { code: 'idempotency-mismatch' },
    })
  },
)

/** Sends a request, another request, and the first request again under its key. The last response is a replay. */
const expectLateReplay = async (first: Prepared, then: Prepared) => {
  const key = crypto.randomUUID()
  expect((await send(first, key)).status).toBe(200)
  expect((await send(then, crypto.randomUUID())).status).toBe(200)
  const late = await send(first, key)
  expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
}

describe('late replay after a newer change', () => {
  test('a replayed pause leaves a resumed restaurant open', async () => {
    const { ofRestaurant, read } = await aKitchen()
    await expectLateReplay(ofRestaurant('pause', { minutes: 20 }), ofRestaurant('resume'))
    expect(await read('restaurant')).toMatchObject({ pausedUntil: null })
  })

  test('a replayed pause of 60 minutes does not extend a newer pause of 20 minutes', async () => {
    const { ofRestaurant, read } = await aKitchen()
    await expectLateReplay(ofRestaurant('pause', { minutes: 60 }), ofRestaurant('pause', { minutes: 20 }))
    const { pausedUntil } = await read<{ pausedUntil: number }>('restaurant')
    expect(pausedUntil - Date.now() / 1_000).toBeLessThan(21 * 60)
  })

  test('a replayed resume does not end a newer pause', async () => {
    const { ofRestaurant, read } = await aKitchen()
    await expectLateReplay(ofRestaurant('resume'), ofRestaurant('pause', { minutes: 20 }))
    expect(await read('restaurant')).toMatchObject({ pausedUntil: expect.any(Number) as unknown })
  })

  test.each(['item', 'choice'] as const)('a replay leaves an available %s available', async (kind) => {
    const place = await aKitchen()
    const path = `${kind}/${place[kind]}/availability`
    await expectLateReplay(
      place.ofRestaurant(path, { available: false }),
      place.ofRestaurant(path, { available: true }),
    )
    expect(JSON.stringify(await place.read('menu'))).not.toContain('"available":false')
  })

  test('a replayed PREPARING leaves the order at READY_FOR_PICKUP', async () => {
    const { ofRestaurant, order, read } = await aKitchen()
    const path = `order/${await order()}`
    await expectLateReplay(
      ofRestaurant(`${path}/status`, { status: 'PREPARING' }),
      ofRestaurant(`${path}/status`, { status: 'READY_FOR_PICKUP' }),
    )
    expect(await read(path)).toMatchObject({ status: 'READY_FOR_PICKUP' })
  })
})

test('an error (409) stores no key, and the corrected request may use the key', async () => {
  const { ofRestaurant, order } = await aKitchen()
  const key = crypto.randomUUID()
  const path = `order/${await order()}/status`
  expect((await send(ofRestaurant(path, { status: 'PROCESSING' }), key)).status).toBe(409)
  expect((await send(ofRestaurant(path, { status: 'PREPARING' }), key)).status).toBe(200)
})

test('an invalid body is 400 also with the key of an earlier order, which is replayed afterwards', async () => {
  const options = keyed()
  const order = await anOrder(seedRestaurants.aurora)
  const { body: first } = await sendOrder(order, options)
  const invalid = await post<ProblemBody>('send-order', { ...order, method: 'delivery' }, options)
  expect(invalid).toMatchObject({ status: 400, body: { code: 'missing-field' } })
  const replayed = await sendOrder(order, options)
  expect([replayed.headers.get('idempotent-replayed'), replayed.body]).toEqual(['true', first])
})

describe('sign-in and validate-order', () => {
  test('ignore an invalid Idempotency-Key', async () => {
    const user = await register()
    const idempotencyKey = 'no'.repeat(200)
    const order = await anOrder(seedRestaurants.aurora)
    const validated = await post<Order>('validate-order', order, keyed(idempotencyKey))
    expect([validated.status, validated.headers.get('idempotent-replayed')]).toEqual([200, null])
    const signedIn = await post('signin', { email: user.email, password: PASSWORD }, keyed(idempotencyKey))
    expect([signedIn.status, signedIn.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  test('validate-order ignores the key of an earlier order and of its earlier request', async () => {
    const key = crypto.randomUUID()
    const order = await anOrder(seedRestaurants.aurora)
    expect((await sendOrder(order, keyed(key))).status).toBe(200)
    expect((await post('validate-order', order, keyed(key))).body).toMatchObject({ apiKey: null })
    const other = { ...order, recipient: { apiKey: UNKNOWN_API_KEY } }
    expect((await post<ProblemBody>('validate-order', other, keyed(key))).body.code).toBe('user-not-found')
  })
})
