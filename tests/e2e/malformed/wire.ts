import { METHODS } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from '../../support/random.ts'
import { addressField, FIELD_NAMES, makeRequest, type Made, type World } from './requests.ts'

/*
 * Faults below the level of HTTP fields: framing, line ends, methods, targets, encodings. Two programs might parse most of them
 * differently, which enables request smuggling past the first of them. `unreadable.test.ts` has the status of the usual ones.
 */

const LENGTHS = `4 3 0 +35 0x23 35.0 -35 00000035 5000 35,35 ${'9'.repeat(30)}`.split(' ')
/** The last one resembles chunked. */
const ENCODINGS = ['chunked', 'CHUNKED', 'chunked;a=b', 'chunked, identity', 'gzip, chunked', '', 'xchunked']
const FIELDS = [
  ...LENGTHS.map((length) => `content-length: ${length}`),
  ...ENCODINGS.map((encoding) => `transfer-encoding: ${encoding}`),
  ...['gzip', 'deflate', 'br', 'gzip, gzip, gzip'].map((encoding) => `content-encoding: ${encoding}`),
  ...['elsewhere', 'a, b', '', 'a@b:99999/path?x#y'].map((host) => `host: ${host}`),
  'connection: close, keep-alive, upgrade, x-access-token, x-request-id',
  'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\nsec-websocket-version: 13',
  'upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQAAP__',
  'te: trailers, deflate;q=0.5\r\ntrailer: content-length',
  ...['100-continue', '200-ok'].map((expectation) => `expect: ${expectation}`),
  ...['x-original-url', 'x-rewrite-url'].map((name) => `${name}: /internal/resolve-access-key`),
  'x-http-method-override: DELETE',
  'x-platter-stopping: true',
  ' x: folded first',
  `${'x'.repeat(20_000)}: y`,
]
/** Parts of request lines and of fields. */
const TOKENS = [
  ...'\r\n\u0000\t \u000b\u007f\u00e9(:,'.split(''),
  ...'%zz %c0%af /..%2f ;a=b #fragment //elsewhere.example HTTP/9'.split(' '),
  '\r\n ',
  '\r\n\t',
  '/x'.repeat(9_000),
]
/** Other paths of the gateway. */
const PATHS =
  '/ * elsewhere.example:443 /console/..%2f..%2fpackage.json /docs /problems/none /webhooks/stripe /internal/resolve-access-key'
/** Other protocols, and bytes of no protocol. */
const STRANGERS = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.2',
  '*1\r\n$4\r\nPING',
  'PROXY TCP4 1.2.3.4 5.6.7.8 1 2',
  'GET / HT',
  '\r\n\r\n',
  'x'.repeat(100_000),
]
/** Ten megabytes, compressed to ten kilobytes. No part of Platter decompresses a body. */
const COMPRESSED = gzipSync(Buffer.alloc(10_000_000)).toString('latin1')
/** Usually long enough for a response. */
const NO_MORE_AFTER_MS = 250

/** Inserts a token at an edge of a name or a value, or anywhere. Or removes a separator, or repeats the line. */
function spoilLine(line: string, random: Random): string {
  const turn = random.next()
  if (turn < 0.1) return line.replace(/:? /, '')
  // A long line is repeated less often: 300 lines of 5 MB are longer than a string can be.
  if (turn < 0.2) return `${line}\r\n`.repeat(line.length < 1_000 ? random.pick([2, 300]) : 2).trimEnd()
  const separator = Math.max(0, line.search(/[: ]/))
  const at = random.pick([0, separator, separator + 1, line.length, random.between(0, line.length)])
  return line.slice(0, at) + random.pick(TOKENS) + line.slice(at)
}

/** Returns a body, the same in chunks, a compressed one, or a body with a further request behind it. */
const bodyOf = (body: string, random: Random): string =>
  random.pick([
    body,
    ...['35', '-1', 'ffffffffffffffff', `23;${'e'.repeat(20_000)}`].map((size) => `${size}\r\n${body}`),
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n${'t: x\r\n'.repeat(random.pick([0, 3_000]))}\r\n`,
    COMPRESSED,
    `${body}GET / HTTP/1.1\r\n`,
  ])

/** Sometimes changes the method or the target, or spoils the line. */
function spoilRequestLine(line: string, random: Random): string {
  const [method = '', path = ''] = line.split(' ')
  const target = random.next() < 0.2 ? random.pick(PATHS.split(' ')) : path
  const changed = `${random.pick([method, method, ...METHODS])} ${target} HTTP/1.1`
  return random.next() < 0.95 ? changed : spoilLine(changed, random)
}

/** Omits or spoils some of the fields, and adds others. */
function spoilFields(fields: readonly string[], random: Random): string[] {
  const further = [
    random.pick(FIELDS),
    `${random.pick(FIELD_NAMES)}: ${random.pick(TOKENS).repeat(300).slice(0, 20_000)}`,
  ]
  return [...fields, ...further.filter(() => random.next() < 0.5)].flatMap((field) =>
    random.next() < 0.05 ? [] : [random.next() < 0.95 ? field : spoilLine(field, random)],
  )
}

/** Generates one request with wrong bytes, or bytes that resemble a request. */
export function makeWireRequest(random: Random, world: World): Made {
  const made = { operation: 'wire', isHead: false, ends: true, mayClose: true }
  if (random.next() < 0.08) return { ...made, bytes: Buffer.from(random.pick(STRANGERS), 'latin1') }
  const [head = '', body = ''] = makeRequest(random, world).bytes.toString('latin1').split('\r\n\r\n')
  const [line = '', ...own] = head.split('\r\n')
  const first = spoilRequestLine(line, random)
  // No fault removes the address, because bad keys are counted by it.
  const named = own.filter((field) => !field.startsWith('x-forwarded-for'))
  const lines = [first, addressField(random), ...spoilFields(named, random), '', bodyOf(body, random)]
  const text = lines.join(random.next() < 0.97 ? '\r\n' : '\n')
  // Several requests on one connection. Each must begin at the end of the previous one.
  const count = text.length < 10_000 && random.next() < 0.1 ? random.between(2, 20) : 1
  const bytes = Buffer.from(text.repeat(count), 'latin1')
  return {
    ...made,
    bytes,
    isHead: text.slice(0, 9).includes('HEAD '),
    ends: random.next() < 0.2 || NO_MORE_AFTER_MS,
  }
}
