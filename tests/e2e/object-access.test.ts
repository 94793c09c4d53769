import {
  audiences,
  operations,
  problems,
  type Audience,
  type Operation,
  type ProblemCode,
} from '@platter/contracts'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Stream } from '../event-stream.ts'
import { elsewhere, newEmail, PASSWORD, person, signin } from './accounts.ts'
import {
  card,
  call,
  eventually,
  get,
  maria,
  post,
  sendOrder,
  stack,
  type Order,
  type User,
} from './client.ts'
import { fullOrder, makeWorld, type World } from './foreign-objects.ts'
import { newKey } from './own-restaurant.ts'
import { newTrace, Receiver, type Span } from './otlp.ts'

/*
 * Identifiers are not credentials (interface.md, "Who may see what"). Made from the list of operations: whatever key
 * an operation takes, in its path or its body, is tried with everything that belongs to somebody else, and the answer
 * has to be the one for a key that nothing has, to the byte.
 */

type Foreign = keyof World['foreign']

/** What a key that is none of ours is answered, and which of theirs are for everybody. */
type Slot = { code: ProblemCode; open?: readonly Foreign[] }

type Entry = {
  /** What else the path has, while one key of the request is tried. */
  params?: (world: World) => Record<string, string>
  body?: (world: World) => unknown
  /** Where a key goes: `path/NAME`, or a pointer into the body with `*` for any element. */
  keys: Record<string, Slot>
}

/** It takes no key: what it answers is of the caller, or for everybody. */
const NOTHING: Entry = { keys: {} }

const user: Slot = { code: 'user-not-found' }
const order: Slot = { code: 'order-not-found' }
const restaurant: Slot = { code: 'restaurant-not-found', open: ['restaurant'] }

const orderEntry: Entry = {
  body: fullOrder,
  keys: {
    '/restaurantApiKey': restaurant,
    '/items/*/apiKey': { code: 'item-not-found' },
    '/items/*/customizationChoices/*/apiKey': { code: 'customization-unknown' },
    '/recipient/apiKey': user,
    '/card/apiKey': { code: 'card-not-found' },
    '/address/apiKey': { code: 'address-not-found' },
  },
}

const entries: Record<string, Entry> = {
  'restaurant-search': NOTHING,
  'restaurant-search-test': NOTHING,
  'restaurant-details': { keys: { 'path/apiKey': restaurant } },
  'restaurant-menu': { keys: { 'path/apiKey': restaurant } },
  'item-customizations': { keys: { 'path/apiKey': { code: 'item-not-found', open: ['item'] } } },
  'register-user': NOTHING,
  signin: NOTHING,
  user: { keys: { 'path/apiKey': user } },
  'update-user': { body: () => ({ firstName: 'Mallory' }), keys: { 'path/apiKey': user } },
  'add-card': { body: () => card(), keys: { 'path/apiKey': user } },
  'remove-card': {
    params: ({ ours }) => ({ apiKey: ours.user, cardApiKey: ours.card }),
    keys: { 'path/apiKey': user, 'path/cardApiKey': { code: 'card-not-found' } },
  },
  'add-address': {
    body: () => ({ streetAddress: '1 Main St', city: 'Salina', state: 'KS', zip: '67401' }),
    keys: { 'path/apiKey': user },
  },
  'remove-address': {
    params: ({ ours }) => ({ apiKey: ours.user, addressApiKey: ours.address }),
    keys: { 'path/apiKey': user, 'path/addressApiKey': { code: 'address-not-found' } },
  },
  'send-order': orderEntry,
  'validate-order': orderEntry,
  order: { keys: { 'path/apiKey': order } },
  'order-by-key': { keys: { 'path/idempotencyKey': order } },
  'order-statuses': { keys: { 'path/apiKey': order } },
  'user-orders': { keys: { 'path/apiKey': user } },
  'restaurant-orders': NOTHING,
  'restaurant-orders-stream': NOTHING,
  'restaurant-order': { keys: { 'path/apiKey': order } },
  'report-status': { body: () => ({ status: 'PREPARING' }), keys: { 'path/apiKey': order } },
  'refuse-order': { body: () => ({ reason: 'mine' }), keys: { 'path/apiKey': order } },
  'own-restaurant': NOTHING,
  'own-menu': NOTHING,
  'item-availability': {
    body: () => ({ available: false }),
    keys: { 'path/apiKey': { code: 'item-not-found' } },
  },
  'choice-availability': {
    body: () => ({ available: false }),
    keys: { 'path/apiKey': { code: 'item-not-found' } },
  },
  pause: NOTHING,
  resume: NOTHING,
}

/** Nothing is foreign to an operator: these are only tried with other kinds of access keys. */
const OPERATORS = new Set([
  'restaurants',
  'put-restaurant',
  'put-menu',
  'put-restaurant-link',
  'applications',
  'create-application',
  'application-access-keys',
  'issue-access-key',
  'restaurant-access-keys',
  'issue-restaurant-access-key',
  'operator-access-keys',
  'issue-operator-access-key',
  'rotate-access-key',
  'revoke-access-key',
  'order-story',
  'reconciliation',
  'attention',
  'retry-attention',
])

let world: World
beforeAll(async () => {
  world = await makeWorld()
})

const audienceOf = ({ path }: Operation): Audience => {
  const found = Object.entries(audiences).find(([prefix]) => path.startsWith(`${prefix}/`))
  if (!found) throw new Error(`${path} is for nobody`)
  return found[1]
}

/** Every place of a request where an operation takes a key. */
function keysOf({ path, body }: Operation): string[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => `path/${name}`)
  if (!body) return inPath
  return [
    ...inPath,
    ...keysIn(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any', reused: 'inline' })),
  ]
}

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

/** A copy of a body with a key at a pointer; `*` is the first element. */
function withKey(body: unknown, pointer: string, key: string): unknown {
  const copy = structuredClone(body)
  const steps = pointer.slice(1).replaceAll('*', '0').split('/')
  const last = steps.pop()!
  const holder = steps.reduce(
    (value, step) => value[step] as Record<string, unknown>,
    copy as Record<string, unknown>,
  )
  holder[last] = key
  return copy
}

type Request = { path: string; body?: unknown }

/** The request of an operation with a key in one of its places; in any other, whatever the entry has there. */
function requestWith({ path }: Operation, { params, body }: Entry, place: string, key: string): Request {
  const inPath = place.startsWith('path/')
  const names = { ...params?.(world), ...(inPath && { [place.slice('path/'.length)]: key }) }
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? newKey())
  if (!body) return { path: filled }
  return { path: filled, body: inPath ? body(world) : withKey(body(world), place, key) }
}

type Answer = { status: number; headers: string[]; text: string }

type Asking = { accessKey: string; accept: string; named: string; traceparent?: string }

/** Asks, and gives the answer as it came, apart from which request it was and which key it named. */
async function ask(
  { method }: Operation,
  { path, body }: Request,
  { accessKey, accept, named, traceparent }: Asking,
): Promise<Answer> {
  const answer = await fetch(`${stack().gateway}${path}`, {
    method,
    headers: {
      'x-access-token': accessKey,
      accept,
      ...(traceparent !== undefined && { traceparent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // An answer that never ends is one that should not have begun.
    signal: AbortSignal.timeout(20_000),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await answer.body?.cancel()
  const text = isStream ? 'a stream of events' : await answer.text()
  const requestId = answer.headers.get('x-request-id') ?? '-'
  return {
    status: answer.status,
    headers: [...answer.headers.keys()].toSorted(),
    text: text
      .replaceAll(requestId, 'REQUEST')
      .replaceAll(named, 'KEY')
      .replace(/"instance":"[^"]*"/, '"instance":""'),
  }
}

const acceptedBy = ({ events }: Operation): string[] => [
  'application/json',
  ...(events ? ['text/event-stream'] : []),
]

const codeOf = ({ text }: Answer) => (JSON.parse(text) as { code: ProblemCode }).code

const places = operations.flatMap((operation) =>
  Object.entries(entries[operation.name]?.keys ?? {}).flatMap(([place, slot]) =>
    acceptedBy(operation).map((accept) => ({ operation, place, slot, accept, name: operation.name })),
  ),
)

const namesOf = (list: readonly Operation[]) => list.map(({ name }) => name).toSorted()

test('every operation says what its keys are, and every key of it is tried', () => {
  const [operators, others] = [true, false].map((is) =>
    operations.filter((operation) => (audienceOf(operation) === 'operator') === is),
  ) as [Operation[], Operation[]]
  expect(namesOf(operators)).toEqual([...OPERATORS].toSorted())
  expect(namesOf(others)).toEqual(Object.keys(entries).toSorted())
  const tried = Object.entries(entries).map(([name, { keys }]) => [name, Object.keys(keys).toSorted()])
  const taken = others.map((operation) => [operation.name, keysOf(operation).toSorted()])
  expect(Object.fromEntries(tried)).toEqual(Object.fromEntries(taken))
})

describe("somebody else's objects are answered as if there were none, to the byte", () => {
  test.each(places)('$name, $place ($accept)', async ({ operation, place, slot, accept }) => {
    const entry = entries[operation.name]!
    const accessKey = world.keys[audienceOf(operation)]
    const tryWith = (key: string) =>
      ask(operation, requestWith(operation, entry, place, key), { accessKey, accept, named: key })
    const absent = await tryWith(newKey())
    expect({ status: absent.status, code: codeOf(absent) }).toEqual({
      status: problems[slot.code].status,
      code: slot.code,
    })
    const closed = Object.entries(world.foreign).filter(([kind]) => !slot.open?.includes(kind as Foreign))
    const answers = await Promise.all(closed.map(async ([kind, key]) => [kind, await tryWith(key)] as const))
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(closed.map(([kind]) => [kind, absent])))
  })

  test('also when recipient, card and address of an order are all of the same foreign account', async () => {
    const [validate] = operations.filter(({ name }) => name === 'validate-order')
    const accountOf = (recipient: unknown, cardKey: string, addressKey: string) => ({
      ...fullOrder(world),
      recipient,
      card: { apiKey: cardKey },
      address: { apiKey: addressKey },
    })
    const { theirs } = world
    const tryWith = (body: unknown) =>
      ask(
        validate!,
        { path: validate!.path, body },
        { accessKey: stack().accessKey, accept: '*/*', named: '-' },
      )
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

  test.each(['remove-card', 'remove-address'])("%s: not a foreign user's own one either", async (name) => {
    const { theirs } = world
    const own = name === 'remove-card' ? theirs.card : theirs.address
    const [foreign, absent] = await Promise.all([
      post<{ code: string }>(`user/${theirs.user}/${name}/${own}`, {}),
      post<{ code: string }>(`user/${newKey()}/${name}/${newKey()}`, {}),
    ])
    expect([foreign.status, foreign.body.code]).toEqual([404, 'user-not-found'])
    expect([absent.status, absent.body.code]).toEqual([404, 'user-not-found'])
  })

  test('and nothing of theirs was changed by any of it', async () => {
    const { theirs, foreign } = world
    const { body: account } = await get<User>(`user/${theirs.user}`, elsewhere())
    expect(account).toMatchObject({
      firstName: maria.firstName,
      creditCards: [{ apiKey: theirs.card }],
      savedAddresses: [{ apiKey: theirs.address }],
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

/** What of theirs could be meant by a key that is answered so. */
const meant: Partial<Record<ProblemCode, readonly Foreign[]>> = {
  'user-not-found': ['user'],
  'order-not-found': ['order', 'guestsOrder', 'idempotencyKey'],
  'card-not-found': ['card', 'neighboursCard'],
  'address-not-found': ['address', 'neighboursAddress'],
  'item-not-found': ['item', 'choice'],
  'customization-unknown': ['choice'],
}

/** Once a second, whoever asks: whom the key belongs to, how often it may ask. */
const isOfEverybody = ({ name, service, attributes }: Span) =>
  name.endsWith('/internal/resolve-access-key') ||
  (service === 'gateway' && attributes['db.system.name'] === 'redis')

/*
 * How long an answer takes would tell as well. That is not measured here, where the machine decides, but counted: the
 * traces of both have the same statements, messages and calls. `node dev/measure-refusals.ts` measures.
 */
describe("somebody else's objects make the same work as none", () => {
  const receiver = new Receiver()
  beforeAll(() => receiver.listen())
  afterAll(() => receiver.close())

  /** What was done for a request; null until all of it has been told. A process tells of its own part last. */
  function workOf(traceId: string, { owner, method, path }: Operation): string[] | null {
    const spans = receiver.spans(traceId)
    const apart = new Set(spans.filter(isOfEverybody).map(({ spanId }) => spanId))
    for (const span of spans) if (apart.has(span.parentSpanId ?? '')) apart.add(span.spanId)
    const own = spans.filter(({ spanId }) => !apart.has(spanId))
    const startingWith = (word: string) => own.filter(({ name }) => name.startsWith(`${word} `)).length
    const isTold = ['gateway', owner].every((service) =>
      own.some((span) => span.service === service && span.name === `${method} ${path}`),
    )
    if (!isTold || startingWith('send') !== startingWith('process')) return null
    return own
      .map(({ service, name, attributes }) => `${service}: ${name} ${attributes['db.query.summary'] ?? ''}`)
      .toSorted()
  }

  const placesOfKeys = places.filter(({ slot, accept }) => meant[slot.code] && accept === 'application/json')

  type Place = (typeof placesOfKeys)[number]

  async function worksOf({ operation, place, slot }: Place) {
    const entry = entries[operation.name]!
    const accessKey = world.keys[audienceOf(operation)]
    const tryWith = async (key: string) => {
      const { traceId, traceparent } = newTrace()
      const request = requestWith(operation, entry, place, key)
      await ask(operation, request, { accessKey, accept: 'application/json', named: key, traceparent })
      return traceId
    }
    const kinds = meant[slot.code] ?? []
    const absent = await tryWith(newKey())
    const foreign: string[] = []
    for (const kind of kinds) foreign.push(await tryWith(world.foreign[kind]))
    return eventually(
      async () => ({
        name: `${operation.name} ${place}`,
        absent: workOf(absent, operation),
        foreign: foreign.map((traceId) => workOf(traceId, operation)),
      }),
      (works) => works.absent !== null && !works.foreign.includes(null),
    )
  }

  /** A statement that is shared with another request is in the trace of one of them: by chance, and not each time. */
  async function steadyWorksOf(place: Place) {
    for (let tries = 1; ; tries++) {
      const works = await worksOf(place)
      const isAlike = works.foreign.every((work) => isDeepStrictEqual(work, works.absent))
      if (isAlike || tries === 4) return works
    }
  }

  test('each key of each operation', async () => {
    const works: Awaited<ReturnType<typeof worksOf>>[] = await Promise.all(placesOfKeys.map(steadyWorksOf))
    expect(works.length).toBeGreaterThan(25)
    for (const { name, absent, foreign } of works) {
      expect({ name, work: absent }).toMatchObject({
        work: expect.arrayContaining([expect.any(String)]) as string[],
      })
      for (const work of foreign) expect({ name, work }).toEqual({ name, work: absent })
    }
    const statements = works.flatMap(({ absent }) => absent ?? []).filter((work) => work.includes('select '))
    expect(statements.length, 'it is SQL that is compared').toBeGreaterThan(works.length)
  })
})

describe('403 not-allowed for another kind of access key, whether or not there is such an object', () => {
  test.each(operations.map((operation) => ({ name: operation.name, operation })))(
    '$name',
    async ({ operation }) => {
      const { foreign, ours, ourPlace, keys } = world
      const wrong = Object.entries(keys).filter(([kind]) => kind !== audienceOf(operation))
      const named = [
        newKey(),
        foreign.order,
        foreign.user,
        foreign.restaurant,
        ours.user,
        ourPlace.restaurant,
      ]
      const requests = wrong.flatMap(([kind, accessKey]) =>
        acceptedBy(operation).flatMap((accept) => named.map((key) => ({ kind, accessKey, accept, key }))),
      )
      const answers = await Promise.all(
        requests.map(({ accessKey, accept, key }) => {
          const path = operation.path.replaceAll(/:\w+/g, key)
          const body = operation.method === 'GET' ? undefined : (entries[operation.name]?.body?.(world) ?? {})
          return ask(operation, { path, body }, { accessKey, accept, named: key })
        }),
      )
      for (const answer of answers) {
        expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 403, code: 'not-allowed' })
        expect(answer).toEqual(answers[0])
      }
    },
  )
})

/** Which of the foreign objects an answer names. */
const tellsOfTheirs = (value: unknown) =>
  Object.entries(world.foreign)
    .filter(([, key]) => JSON.stringify(value).includes(key))
    .map(([kind]) => kind)

describe('what takes no key shows what is ours alone', () => {
  test.each(['orders', 'orders?open=true', 'restaurant', 'menu'])('restaurantapi: %s', async (path) => {
    const { status, body } = await call(`/restaurantapi/v1/${path}`, { key: world.keys.restaurant })
    expect(status).toBe(200)
    expect(tellsOfTheirs(body)).toEqual([])
  })

  test('restaurantapi: orders/stream', async () => {
    const url = `${stack().gateway}/restaurantapi/v1/orders/stream`
    const stream = await Stream.open(url, { key: world.keys.restaurant })
    await stream.until(({ event }) => event === 'ready')
    stream.close()
    expect(tellsOfTheirs(stream.events)).toEqual([])
  })
})

test('an order is there for the application that placed it, and for every one that its recipient belongs to', async () => {
  const email = newEmail()
  const { body: recipient } = await post<User>('register-user', person({ email }), elsewhere())
  const { restaurantApiKey, items } = fullOrder(world)
  const { body: placed } = await sendOrder(
    { restaurantApiKey, items, method: 'pickup', payment: 'cash', recipient: { apiKey: recipient.apiKey } },
    elsewhere(),
  )
  const paths = [
    `order/${placed.apiKey}`,
    `order/${placed.apiKey}/statuses`,
    `user/${recipient.apiKey}/orders`,
  ]
  const read = () => Promise.all(paths.map(async (path) => (await get(path)).status))
  expect(await read()).toEqual([404, 404, 404])
  await signin(email, PASSWORD)
  expect(await read()).toEqual([200, 200, 200])
})
