import { METHODS } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { operations } from '@platter/contracts'
import type { Random } from '../../support/random.ts'
import { addressField, FIELD_NAMES, pathFor, type Made, type World } from './requests.ts'

/*
 * Faults below the level of HTTP fields: framing, line ends, methods, targets, encodings. Two programs might parse most of them
 * differently, which enables request smuggling past the first of them.
 */

// Request lines ------------------------------------------------------------------------------------------------

const OTHER_METHODS = ['get', 'G\u0000T', 'X'.repeat(5_000)]
/** Other paths of the gateway. */
const OTHER_PATHS = (
  '/ /console/ /console /console/session /console/assets/none.js /console/..%2f..%2fpackage.json /docs ' +
  '/docs/reference.js /openapi.json /problems/overloaded /problems/none /health/live /health/ready /webhooks/stripe ' +
  '/webhooks/processor /internal/resolve-access-key'
).split(' ')

const targetsOf = (path: string): string[] => [
  ...['', '/', '#fragment', `?${'a'.repeat(9_000)}`, '/x'.repeat(9_000), '%zz', '%c0%af', ';a=b'].map(
    (end) => path + end,
  ),
  ...['http://elsewhere.example', '//elsewhere.example', '/v1/..%2f'].map((start) => start + path),
  path.toUpperCase(),
  'elsewhere.example:443',
  '*',
]
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/0.9', 'HTTP/9', 'HTTPS/1.1', 'http/1.1', '']

// Framing ------------------------------------------------------------------------------------------------------

const BODY = '{"restaurantApiKey":"x","items":[]}'
const SIZE = BODY.length.toString(16)
const LENGTHS = `4 3 0 +35 0x23 35.0 -35 00000035 5000 35,35 ${'9'.repeat(30)}`.split(' ')
/** Encodings that resemble chunked. */
const ENCODINGS = 'xchunked|CHUNKED|chunked;a=b|chunked, identity|identity, chunked|gzip, chunked|'.split('|')
const CHUNKED = [
  `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`,
  `${SIZE}\r\n${BODY}`,
  `${SIZE}\n${BODY}\n0\n\n`,
  ...['-1', 'ffffffffffffffff', '0x23', 'zz', '2', `23;${'e'.repeat(20_000)}`, '23;a\nb'].map(
    (size) => `${size}\r\n${BODY}\r\n0\r\n\r\n`,
  ),
  ...['content-length: 5\r\nx-access-token: y\r\n', 't: x\r\n'.repeat(3_000)].map(
    (trailers) => `${SIZE}\r\n${BODY}\r\n0\r\n${trailers}\r\n`,
  ),
  `${'1\r\n \r\n'.repeat(2_000)}0\r\n\r\n`,
  '0\r\n\r\n',
]
/** No part of Platter decompresses a body. The first one has ten megabytes, compressed to ten kilobytes. */
const COMPRESSED = [
  gzipSync(Buffer.alloc(10_000_000)),
  gzipSync(gzipSync(gzipSync(BODY))),
  deflateSync(BODY),
  brotliCompressSync(BODY),
]
const COMPRESSIONS = ['gzip', 'deflate', 'br', 'gzip, gzip, gzip']

/** A body with its length or in chunks, with both (RFC 9112, 6.3), or with a wrong one. */
function framingOf(random: Random): { fields: string[]; body: string | Buffer } {
  const plain = random.pick<string | Buffer>([BODY, BODY, ...COMPRESSED, `${BODY}GET / HTTP/1.1\r\n`, ''])
  const length = `content-length: ${random.pick([plain.length, BODY.length, random.pick(LENGTHS)])}`
  const encoding = `transfer-encoding: ${random.pick(['chunked', 'chunked', random.pick(ENCODINGS)])}`
  const fields = random.pick([
    [length],
    [length, `content-encoding: ${random.pick(COMPRESSIONS)}`],
    [length, `content-length: ${random.pick([plain.length, ...LENGTHS])}`],
    [encoding],
    [encoding, 'transfer-encoding: chunked'],
    random.shuffled([length, encoding]),
  ])
  return { fields, body: fields.includes(encoding) ? random.pick(CHUNKED) : plain }
}

// Lines --------------------------------------------------------------------------------------------------------

/** Parts of lists, sent once or so often that some heads exceed 16 KiB, the limit of the gateway. */
const ITEMS = 'y " , a=b; gzip;q=0, */*, "a", 0-, ::1, 00-0-0-0 \u0001 e30.e30.e30'.split(' ')
const FIELDS = [
  ...['elsewhere', 'a, b', '', 'a@b:99999/path?x#y'].map((host) => `host: ${host}`),
  'connection: x-access-token',
  'connection: close, keep-alive, upgrade, x-request-id',
  'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\nsec-websocket-version: 13',
  'upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQAAP__',
  'keep-alive: timeout=1e9',
  'te: trailers, deflate;q=0.5',
  'trailer: content-length',
  'range: bytes=0-18446744073709551615',
  ...['100-continue', '200-ok'].map((expectation) => `expect: ${expectation}`),
  ...['application/xml', 'text/plain'].map((type) => `content-type: ${type}`),
  'proxy: http://evil.example',
  'x-forwarded-host: evil.example',
  'forwarded: for="[::1]";proto=gopher',
  'x-original-url: /operatorapi/v1/applications',
  'x-rewrite-url: /internal/resolve-access-key',
  'x-http-method-override: DELETE',
  ...['x-platter-starting', 'x-platter-stopping'].map((name) => `${name}: true`),
  ' x: folded first',
  `${'x'.repeat(20_000)}: y`,
]

const fieldOf = (random: Random): string =>
  random.next() < 0.4
    ? random.pick(FIELDS)
    : `${random.pick(FIELD_NAMES)}: ${random.pick(ITEMS).repeat(random.pick([1, 1, 2, 300, 3_000]))}`

const INSERTED = ['\r\n ', '\r\n\t', ...'\r\n\u0000\t \u000b\u007f\u00e9(:,'.split('')]

/** Inserts a character at an edge of a name or a value, or anywhere. Or removes a separator, or repeats the line. */
function spoilLine(line: string, random: Random): string {
  const turn = random.next()
  if (turn < 0.08) return line.replace(/:? /, '')
  if (turn < 0.15) return `${line}\r\n${line}`
  // A long line is repeated less often: 2,500 lines of 200 KB are longer than a string can be.
  if (turn < 0.17) return `${line}\r\n`.repeat(Math.ceil(Math.min(2_500, 1_000_000 / line.length))).trimEnd()
  const separator = Math.max(0, line.search(/[: ]/))
  const at = random.pick([0, separator, separator + 1, line.length, random.between(0, line.length)])
  return line.slice(0, at) + random.pick(INSERTED) + line.slice(at)
}

function requestLineOf(method: string, path: string, random: Random): string {
  const target = random.next() < 0.8 ? path : random.pick(targetsOf(path))
  const version = random.next() < 0.88 ? 'HTTP/1.1' : random.pick(VERSIONS)
  const line = `${method} ${target} ${version}`
  return random.next() < 0.95 ? line : spoilLine(line, random)
}

// Requests -----------------------------------------------------------------------------------------------------

/** Other protocols, and bytes of no protocol. */
const STRANGERS = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'AMQP\u0000\u0000\u0009\u0001',
  ...['SSH-2.0-OpenSSH_9.2', 'EHLO there', '*1\r\n$4\r\nPING', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2'].map(
    (first) => `${first}\r\n`,
  ),
  // The beginnings of a request.
  ...[3, 5, 14, 20].map((length) => 'GET / HTTP/1.1\r\nhost'.slice(0, length)),
  '\r\n\r\n\r\n',
  '\u0000'.repeat(1_000),
  'x'.repeat(100_000),
]

/** Generates one request with wrong bytes, or bytes that resemble a request. */
export function makeWireRequest(random: Random, world: World): Made {
  const ends = random.next() < 0.2 ? true : NO_MORE_AFTER_MS
  const made = { isHead: false, ends, mayClose: true }
  if (random.next() < 0.08) {
    const bytes = Buffer.from(random.pick(STRANGERS), 'latin1')
    return { ...made, operation: 'stranger', bytes, ends: true }
  }
  const ofOperation = pathFor(random.pick(operations), random, world)
  const path = random.next() < 0.2 ? random.pick(OTHER_PATHS) : ofOperation
  const anyMethod = random.pick([...METHODS, ...OTHER_METHODS])
  const method = random.pick(['POST', 'POST', 'GET', anyMethod, anyMethod])
  const { fields, body } = framingOf(random)
  const lines = [
    ...(random.next() < 0.97 ? ['host: localhost'] : []),
    `x-access-token: ${world.keyFor(path)}`,
    ...(random.next() < 0.8 ? ['content-type: application/json'] : []),
    ...(random.next() < 0.7 ? fields : []),
    ...(random.next() < 0.5 ? [fieldOf(random)] : []),
  ].map((field) => (random.next() < 0.95 ? field : spoilLine(field, random)))
  // No fault removes the address, because bad keys are counted by it.
  const first = [requestLineOf(method, path, random), addressField(random)]
  const end = random.next() < 0.97 ? '\r\n' : '\n'
  const head = Buffer.from([...first, ...lines, '', ''].join(end), 'latin1')
  const one = Buffer.concat([head, Buffer.from(body)])
  // Several requests on one connection. Each must begin at the end of the previous one.
  const several = random.next() < 0.1 ? Array.from({ length: random.between(2, 20) }, () => one) : [one]
  return { ...made, operation: 'wire', bytes: Buffer.concat(several), isHead: method === 'HEAD' }
}

/** Usually long enough for a response. */
const NO_MORE_AFTER_MS = 250
