import { operations, type Operation } from '@platter/contracts'
import type { Random } from '../../support/random.ts'
import { METHODS, mutate, mutateBytes, mutateText, nastyText } from './mutations.ts'
import { documented, sampleOf, type Known } from './samples.ts'

/** The material of the requests: access keys of each audience, apiKeys, and valid bodies by operation. */
export type World = {
  keyFor: (path: string) => string
  /** apiKeys by the preceding part of the path. */
  apiKeys: Record<string, readonly string[]>
  known: Known
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
  const { query, body } = documented(operation.method, operation.path)
  const target = `${pathFor(operation, random, world)}${queryFor(query, random, world)}`
  const method = random.next() < 0.95 ? operation.method : random.pick(METHODS)
  const payload = body ? bodyFor(operation, random, world) : random.next() < 0.1 ? garbage(random) : null
  // An empty body cannot be cut. Node sends no response to a client that ends after a complete request.
  const cut = payload !== null && random.next() < 0.02 && payload.length > 0
  const head = headFor({ method, target, operation, payload }, random, world)
  const sent = cut ? payload.subarray(0, payload.length >> 1) : (payload ?? Buffer.alloc(0))
  return {
    operation: operation.name,
    bytes: Buffer.concat([head, sent]),
    isHead: method === 'HEAD',
    ends: cut || head.includes('\r\ntransfer-encoding:'),
    mayClose: false,
  }
}

// Path and query -------------------------------------------------------------------------------------------

function pathFor({ path }: Operation, random: Random, world: World): string {
  const parts = path.split('/').map((part, at, all) => {
    if (!part.startsWith(':')) return part
    const before = all[at - 1] ?? ''
    const there = world.apiKeys[before] ?? []
    // Data under any other key would disturb other tests.
    if (before === 'restaurants' || (there.length > 0 && random.next() < 0.85)) return random.pick(there)
    return random.next() < 0.5 ? 'none' : inUrl(nastyText(random), random)
  })
  const whole = parts.join('/')
  return random.next() < 0.93 ? whole : mutatePath(whole, random)
}

/** Usually encodes the text like a client. Otherwise it inserts the raw bytes, which is no valid URL. */
const inUrl = (text: string, random: Random): string =>
  random.next() < 0.8 ? encodeURIComponent(text.toWellFormed()) : text.replaceAll(/[\r\n ]/g, '')

function mutatePath(path: string, random: Random): string {
  const turn = random.between(0, 9)
  const at = random.between(1, path.length)
  if (turn === 0) return `${path}/`
  if (turn === 1) return `/${path}`
  if (turn === 2) return path.replace('/v1', '/v1/..%2fv1')
  if (turn === 3) return `${path.slice(0, at)}%zz${path.slice(at)}`
  if (turn === 4) return `${path.slice(0, at)}%c0%af${path.slice(at)}`
  if (turn === 5) return path.toUpperCase()
  if (turn === 6) return `${path}/${'a'.repeat(random.pick([200, 1_000, 7_000]))}`
  if (turn === 7) return `http://elsewhere.example${path}`
  if (turn === 8) return random.pick(['*', '/', '', '//', '/%', '/?', '/#', 'x', '/.', '/publicapi/v1/'])
  return `${path};a=b#c`
}

type Query = ReturnType<typeof documented>['query']

function queryFor(parameters: Query, random: Random, { known }: World): string {
  const given = parameters.flatMap(({ name, schema }) => {
    if (random.next() < 0.4) return []
    const good = String(sampleOf(schema, random, known, name))
    const value = random.next() < 0.93 ? good : nastyText(random)
    const pair = `${name}=${inUrl(value, random)}`
    return random.next() < 0.05 ? [pair, pair] : [pair]
  })
  if (random.next() < 0.05)
    given.push(
      random.pick([
        '__proto__=1',
        'a[b][c]=1',
        '&&&',
        '=',
        '%=%',
        'limit',
        'constructor=x',
        'x='.repeat(1_000),
      ]),
    )
  return given.length > 0 ? `?${given.join('&')}` : ''
}

// Body -----------------------------------------------------------------------------------------------------

/** Exceeds the limit of any body. Larger bodies would spend the time of the test on generation and transfer. */
const LARGEST = 5_000_000
/** A client that requests `connection: close` may miss a response that arrives while it still sends. */
const CLOSING_AT_MOST = 60_000

function bodyFor(operation: Operation, random: Random, world: World): Buffer {
  const good = world.goodBodies[operation.name]
  const { body: schema } = documented(operation.method, operation.path)
  let value =
    good && random.next() < 0.7
      ? structuredClone(random.pick(good))
      : sampleOf(schema ?? {}, random, world.known)
  for (let changes = random.pick([0, 0, 0, 1, 1, 1, 2]); changes > 0; changes--) value = mutate(value, random)
  const text = JSON.stringify(value).slice(0, LARGEST)
  const turn = random.next()
  if (turn < 0.8) return Buffer.from(text)
  if (turn < 0.92) return Buffer.from(mutateText(text, random))
  return mutateBytes(Buffer.from(text), random)
}

const garbage = (random: Random): Buffer => mutateBytes(Buffer.from('{"a":1}'), random)

// Head -----------------------------------------------------------------------------------------------------

type Head = { method: string; target: string; operation: Operation; payload: Buffer | null }

function headFor({ method, target, operation, payload }: Head, random: Random, world: World): Buffer {
  const version =
    random.next() < 0.99 ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'HTTPS/1.1', ''])
  const fields: [name: string, value: string][] = [
    ...(random.next() < 0.995 ? [['host', 'localhost'] as [string, string]] : []),
    ...(payload && payload.length > CLOSING_AT_MOST ? [] : [['connection', 'close'] as [string, string]]),
    // Bad keys are counted by address, and must not block the address of other tests.
    ['x-forwarded-for', `198.51.100.${random.between(0, 255)}`],
    ...keyFields(operation, random, world),
  ]
  if (payload) fields.push(['content-type', contentType(random)], ['content-length', String(payload.length)])
  for (let more = random.next() < 0.2 ? random.between(1, 3) : 0; more > 0; more--)
    fields.push(strangeField(random))
  const lines = fields.map(([name, value]) => `${name}: ${value}`)
  const text = [`${method} ${target} ${version}`, ...lines, '', ''].join('\r\n')
  return Buffer.from(text, random.next() < 0.98 ? 'utf8' : 'latin1')
}

function keyFields(operation: Operation, random: Random, world: World): [string, string][] {
  if (random.next() < 0.97) return [['x-access-token', world.keyFor(operation.path)]]
  return random.pick<[string, string][]>([
    [],
    [['x-access-token', nastyText(random).replaceAll(/[\r\n]/g, '')]],
    [
      ['x-access-token', world.keyFor(operation.path)],
      ['x-access-token', world.keyFor('/operatorapi/')],
    ],
    [['authorization', 'Bearer x']],
  ])
}

const contentType = (random: Random): string =>
  random.next() < 0.93
    ? 'application/json'
    : random.pick([
        'application/json; charset=utf-16',
        'application/json;;;',
        'application/problem+json',
        'text/plain',
        'multipart/form-data',
        'x',
        '',
        'application/json, text/plain',
        'é/ü',
      ])

/** Fields that the gateway reads, forwards or must withhold, and some unknown ones. */
function strangeField(random: Random): [string, string] {
  const text = nastyText(random).replaceAll(/[\r\n]/g, ' ')
  return random.pick<[string, string]>([
    ['idempotency-key', text],
    ['idempotency-key', '"'.repeat(random.pick([1, 300]))],
    ['if-none-match', text],
    ['if-none-match', '"'.repeat(5_000)],
    ['accept', text],
    ['accept', random.pick(['*/*', 'application/xml', 'text/html', ';q=x'])],
    ['accept-encoding', 'gzip, br, nonsense'],
    ['content-encoding', random.pick(['gzip', 'identity', 'nonsense'])],
    ['last-event-id', text],
    ['traceparent', random.pick(['00-0-0-0', text, `00-${'f'.repeat(32)}-${'f'.repeat(16)}-ff`])],
    ['tracestate', text],
    ['x-request-id', text],
    ['x-forwarded-for', random.pick([text, '::1, 999.1.1.1', ','.repeat(500), '203.0.113.9:80'])],
    ['x-client-address', text],
    ['x-platter-principal', text],
    ['cookie', 'a=b; '.repeat(200)],
    ['expect', random.pick(['100-continue', 'nonsense'])],
    ['upgrade', random.pick(['websocket', 'h2c'])],
    ['transfer-encoding', random.pick(['chunked', 'gzip', 'chunked, chunked', 'x'])],
    ['content-length', random.pick(['0', '-1', '1e3', '99999999999999999999'])],
    ['host', 'elsewhere.example'],
    ['x-http-method-override', 'DELETE'],
    ['range', 'bytes=0-0,-1'],
    ['x-long', 'x'.repeat(random.pick([1_000, 20_000]))],
    [text, 'x'],
    ['x y', 'z'],
    ['', ''],
  ])
}
