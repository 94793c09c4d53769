import type { Operation, ProblemCode } from '@platter/contracts'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from './client.ts'
import { makeWorld, type World } from './foreign-objects.ts'
import { places, requestWith, sendRequest, type Foreign, type Place } from './foreign-requests.ts'
import { newTrace, Receiver, withoutLookUp, type Span } from './otlp.ts'
import { newKey } from './own-restaurant.ts'
import { setUpOwnStack } from './stack.ts'

let world: World
setUpOwnStack(async () => {
  world = await makeWorld()
})

/** The foreign objects that a key with this error code could name. */
const foreignKinds: Partial<Record<ProblemCode, readonly Foreign[]>> = {
  'user-not-found': ['user'],
  'order-not-found': ['order', 'guestsOrder', 'idempotencyKey'],
  'card-not-found': ['card', 'neighboursCard'],
  'address-not-found': ['address', 'neighboursAddress'],
  'item-not-found': ['item', 'choice'],
  'customization-unknown': ['choice'],
}

/** The rate limit of the access key, which any request may read once a second. */
const isOfRateLimit = ({ service, attributes }: Span) =>
  service === 'gateway' && attributes['db.system.name'] === 'redis'

/** Sends one request at a time. Returns the ids of their traces. */
async function sendEach(place: Place) {
  const { operation, code } = place
  const accessKey = world.keys[operation.audience]
  const tryWith = async (key: string) => {
    const { traceId, traceparent } = newTrace()
    await sendRequest(requestWith(world, place, key), key, { key: accessKey, headers: { traceparent } })
    return traceId
  }
  const kinds = foreignKinds[code] ?? []
  const absent = await tryWith(newKey())
  const foreign: string[] = []
  for (const kind of kinds) foreign.push(await tryWith(world.foreign[kind]))
  return { place, absent, foreign }
}

/*
 * The duration of a response could also reveal it. A duration depends on the machine, so this test compares the work instead:
 * the traces of both requests have the same statements, messages and calls.
 */
describe('request with the key of an object of another tenant', () => {
  const receiver = new Receiver()
  setUpOwnStack(() => receiver.listen())
  afterAll(() => receiver.close())

  /** Spans are exported twice a second. A trace that shares a message with another trace never has all its spans. */
  const EXPORTED_WITHIN_MS = 5_000

  /** Returns the work of a request. Null until every process has exported its spans. */
  function workOf(traceId: string, { owner, method, path }: Operation): string[] | null {
    const own = withoutLookUp(receiver.spans(traceId)).filter((span) => !isOfRateLimit(span))
    const startingWith = (word: string) => own.filter(({ name }) => name.startsWith(`${word} `)).length
    const isExported = ['gateway', owner].every((service) =>
      own.some((span) => span.service === service && span.name === `${method} ${path}`),
    )
    if (!isExported || startingWith('send') !== startingWith('process')) return null
    return own
      .map(({ service, name, attributes }) => `${service}: ${name} ${attributes['db.query.summary'] ?? ''}`)
      .toSorted()
  }

  const placesOfKeys = places.filter(
    ({ code, accept }) => foreignKinds[code] && accept === 'application/json',
  )

  async function worksOf({ place, absent, foreign }: Awaited<ReturnType<typeof sendEach>>) {
    const { operation } = place
    return eventually(
      async () => ({
        name: `${operation.name} ${place.kind}`,
        absent: workOf(absent, operation),
        foreign: foreign.map((traceId) => workOf(traceId, operation)),
      }),
      (works) => works.absent !== null && !works.foreign.includes(null),
      EXPORTED_WITHIN_MS,
    )
  }

  type Works = Awaited<ReturnType<typeof worksOf>>

  const hasEqualWork = ({ absent, foreign }: Works) =>
    absent !== null && foreign.every((work) => isDeepStrictEqual(work, absent))

  /**
   * Two concurrent requests may share a statement or a message, which is then in the trace of one of them. A place whose requests
   * shared some with another test is therefore repeated.
   */
  async function repeated(works: Works, place: Place) {
    let latest = works
    for (let attempts = 0; attempts < 3 && !hasEqualWork(latest); attempts++)
      latest = await worksOf(await sendEach(place))
    return latest
  }

  test('causes the same statements, messages and calls as one with an unknown key', async () => {
    const sent: Awaited<ReturnType<typeof sendEach>>[] = []
    for (const place of placesOfKeys) sent.push(await sendEach(place))
    const works = await Promise.all(sent.map(worksOf))
    for (const [n, place] of placesOfKeys.entries()) works[n] = await repeated(works[n]!, place)
    expect(works.length).toBeGreaterThan(25)
    for (const { name, absent, foreign } of works) {
      expect({ name, work: absent }).toMatchObject({
        work: expect.arrayContaining([expect.any(String)]) as string[],
      })
      for (const work of foreign) expect({ name, work }).toEqual({ name, work: absent })
    }
    const statements = works.flatMap(({ absent }) => absent ?? []).filter((work) => work.includes('select '))
    expect(statements.length, 'the traces contain SQL statements').toBeGreaterThan(works.length)
  })
})
