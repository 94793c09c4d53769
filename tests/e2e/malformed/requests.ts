import { operations, type PublicOperation } from '@platter/contracts'
import { z } from 'zod'
import type { Random } from '../../support/random.ts'
import { mutate, mutateJson, nastyText } from './mutations.ts'

/** The material of the requests: access keys of each audience, apiKeys, and bodies in place of the documented examples. */
export type World = {
  keyFor: (path: string) => string
  /** apiKeys by the preceding part of the path. */
  apiKeys: Record<string, readonly string[]>
  goodBodies: Record<string, readonly unknown[]>
}

export type Made = {
  operation: string
  bytes: Buffer
  isHead: boolean
  /** The request is shorter than announced. The client must end its side, at once or after this time (ms). */
  ends: boolean | number
  /** The server may close the connection without a response. */
  mayClose: boolean
}

/** Generates one random request. Most are close to a valid request, because other requests are rejected early. */
export function makeRequest(random: Random, world: World): Made {
  const operation = random.pick(operations)
  const target = `${pathFor(operation, random, world)}${queryFor(operation, random)}`
  const payload = payloadFor(operation, random, world)
  // An empty body cannot be cut. Node sends no response to a client that ends after a complete request.
  const cut = payload !== null && random.next() < 0.02 && payload.length > 0
  const head = headFor({ target, operation, payload }, random, world)
  const sent = cut ? payload.subarray(0, payload.length >> 1) : (payload ?? Buffer.alloc(0))
  return {
    operation: operation.name,
    bytes: Buffer.concat([head, sent]),
    isHead: false,
    ends: cut,
    mayClose: false,
  }
}

// Path and query -------------------------------------------------------------------------------------------

function pathFor({ path }: PublicOperation, random: Random, world: World): string {
  const parts = path.split('/').map((part, at, all) => {
    if (!part.startsWith(':')) return part
    const before = all[at - 1] ?? ''
    const there = world.apiKeys[before] ?? []
    // Data under any other key would disturb other tests.
    if (before === 'restaurants' || (there.length > 0 && random.next() < 0.85)) return random.pick(there)
    return random.next() < 0.5 ? 'none' : inUrl(nastyText(random), random)
  })
  return parts.join('/')
}

/** Usually encodes the text like a client. Otherwise it inserts the raw bytes, which is no valid URL. */
const inUrl = (text: string, random: Random): string =>
  random.next() < 0.8 ? encodeURIComponent(text.toWellFormed()) : text.replaceAll(/[\r\n ]/g, '')

/** Values of query parameters, valid and just beyond a limit. Each other parameter is a switch. */
const QUERY: Readonly<Record<string, readonly string[]>> = {
  'street-address': ['Madison, WI 53703', 'Atlantis'],
  latitude: ['43.07', '90', '90.1'],
  longitude: ['-89.38', '-180', '-180.1'],
  method: ['pickup', 'delivery'],
  'pickup-radius': ['0', '25', '25.01', '-0.01'],
  search: ['[pizza, null]', 'wings'],
  limit: ['1', '0', '200', '201'],
  cursor: ['W10', 'eyJ9'],
  phone: ['(608) 555-0142'],
  status: ['PREPARING'],
  since: ['1795113000'],
  until: ['1795113001', '0'],
}
const BROKEN_QUERIES = ['__proto__=1', 'a[b][c]=1', '&&&', '=', '%=%', 'limit', 'x='.repeat(1_000)]

function queryFor({ query }: PublicOperation, random: Random): string {
  const names = query instanceof z.ZodObject ? Object.keys(query.shape) : []
  const given = names.flatMap((name) => {
    if (random.next() < 0.4) return []
    const good = random.pick(QUERY[name] ?? ['true', '1'])
    const value = random.next() < 0.93 ? good : nastyText(random)
    const pair = `${name}=${inUrl(value, random)}`
    return random.next() < 0.05 ? [pair, pair] : [pair]
  })
  if (random.next() < 0.05) given.push(random.pick(BROKEN_QUERIES))
  return given.length > 0 ? `?${given.join('&')}` : ''
}

// Body -----------------------------------------------------------------------------------------------------

/** Exceeds the limit of any body. Larger bodies would spend the time of the test on generation and transfer. */
const LARGEST = 5_000_000
/** A client that requests `connection: close` may miss a response that arrives while it still sends. */
const CLOSING_AT_MOST = 60_000

function payloadFor(operation: PublicOperation, random: Random, world: World): Buffer | null {
  if (!operation.body) return random.next() < 0.1 ? Buffer.from(mutateJson('{"a":1}', random)) : null
  const bodies = world.goodBodies[operation.name] ?? Object.values(operation.examples.bodies ?? {})
  let value: unknown = structuredClone(random.pick(bodies))
  for (let changes = random.pick([0, 0, 0, 1, 1, 1, 2]); changes > 0; changes--) value = mutate(value, random)
  const json = JSON.stringify(value).slice(0, LARGEST)
  return Buffer.from(random.next() < 0.8 ? json : mutateJson(json, random))
}

// Head -----------------------------------------------------------------------------------------------------

/** Fields that the gateway reads, forwards or must withhold. */
export const FIELD_NAMES = (
  'idempotency-key if-none-match accept content-encoding last-event-id traceparent tracestate baggage cookie range ' +
  'authorization x-request-id x-forwarded-for x-client-address x-platter-principal'
).split(' ')

type Head = { target: string; operation: PublicOperation; payload: Buffer | null }

function headFor({ target, operation, payload }: Head, random: Random, world: World): Buffer {
  const nastyValue = () => nastyText(random).replaceAll(/[\r\n]/g, ' ')
  const keyField = (path: string) => `x-access-token: ${world.keyFor(path)}`
  const own = [keyField(operation.path), ...(payload ? ['content-type: application/json'] : [])]
  const sent = own.flatMap((field) => {
    if (random.next() < 0.95) return [field]
    const wrong = random.pick([nastyValue(), '', 'text/plain', 'application/json;;;', 'é/ü'])
    return random.pick([[], [field.replace(/:.*/, () => `: ${wrong}`)], [field, keyField('/operatorapi/')]])
  })
  const further = random.next() < 0.2 ? random.between(1, 3) : 0
  const lines = [
    `${operation.method} ${target} HTTP/1.1`,
    'host: localhost',
    addressField(random),
    ...(payload && payload.length > CLOSING_AT_MOST ? [] : ['connection: close']),
    ...sent,
    ...(payload ? [`content-length: ${payload.length}`] : []),
    ...Array.from({ length: further }, () => `${random.pick(FIELD_NAMES)}: ${nastyValue()}`),
  ]
  return Buffer.from([...lines, '', ''].join('\r\n'), random.next() < 0.98 ? 'utf8' : 'latin1')
}

/** Bad keys are counted by address, and must not block the address of other tests. */
export const addressField = (random: Random): string =>
  `x-forwarded-for: 198.51.100.${random.between(0, 255)}`
