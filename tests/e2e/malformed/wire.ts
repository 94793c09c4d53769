import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { operations } from '@platter/contracts'
import type { Random } from '../../support/random.ts'
import type { Made, World } from './requests.ts'

/*
 * Faults below the level of HTTP fields: framing, line ends, methods, targets, encodings. Two programs might parse most of them
 * differently, which enables request smuggling past the first of them.
 */

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
  'PROPFIND',
  'M-SEARCH',
  'PRI',
  'get',
  'G\u0000T',
  'X'.repeat(5_000),
]

/** Other paths of the gateway. */
const OTHER_PATHS = [
  '/console/',
  '/console',
  '/console/session',
  '/console/assets/none.js',
  '/console/..%2f..%2fpackage.json',
  '/docs',
  '/docs/reference.js',
  '/openapi.json',
  '/problems/overloaded',
  '/problems/none',
  '/health/live',
  '/health/ready',
  '/webhooks/stripe',
  '/webhooks/processor',
  '/internal/resolve-access-key',
  '/',
]
const BODY = '{"restaurantApiKey":"x","items":[]}'
const LENGTH = `content-length: ${BODY.length}`
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
/** Ten megabytes, compressed to ten kilobytes. */
const BOMB = gzipSync(Buffer.alloc(10_000_000))

type Framed = { fields: string[]; body: string | Buffer }

const FRAMINGS: readonly Framed[] = [
  // Two lengths, or a length and chunks (RFC 9112, 6.3).
  { fields: [LENGTH, 'transfer-encoding: chunked'], body: CHUNKED },
  { fields: ['transfer-encoding: chunked', 'content-length: 4'], body: CHUNKED },
  { fields: [LENGTH, LENGTH], body: BODY },
  { fields: [LENGTH, 'content-length: 3'], body: BODY },
  { fields: [`content-length: ${BODY.length}, ${BODY.length}`], body: BODY },
  ...['+35', '0x23', '35 ', ' 35', '3 5', '35.0', '-35', '', '9'.repeat(30), '00000035'].map((length) => ({
    fields: [`content-length:${length}`],
    body: BODY,
  })),
  // Encodings that resemble chunked.
  ...[
    'chunked, identity',
    'identity, chunked',
    'xchunked',
    'chunked;a=b',
    '\tchunked',
    'chunked\u000b',
    'CHUNKED',
    'gzip, chunked',
    ' ',
  ].map((encoding) => ({ fields: [`transfer-encoding: ${encoding}`], body: CHUNKED })),
  { fields: ['transfer-encoding: chunked', 'transfer-encoding: identity'], body: CHUNKED },
  { fields: ['transfer-encoding : chunked'], body: CHUNKED },
  { fields: ['transfer-encoding:\r\n chunked'], body: CHUNKED },
  // Chunks.
  ...[
    `${BODY.length.toString(16)}\r\n${BODY}`,
    `${BODY.length.toString(16)}\n${BODY}\n0\n\n`,
    `-1\r\n${BODY}\r\n0\r\n\r\n`,
    `ffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`,
    `0x23\r\n${BODY}\r\n0\r\n\r\n`,
    `zz\r\n${BODY}\r\n0\r\n\r\n`,
    `2\r\n${BODY}\r\n0\r\n\r\n`,
    `23;${'e'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`,
    `23;a\nb\r\n${BODY}\r\n0\r\n\r\n`,
    `23\r\n${BODY}\r\n0\r\ncontent-length: 5\r\nx-access-token: y\r\n\r\n`,
    `23\r\n${BODY}\r\n0\r\n${'t: x\r\n'.repeat(3_000)}\r\n`,
    `${'1\r\n \r\n'.repeat(2_000)}0\r\n\r\n`,
    '0\r\n\r\n',
  ].map((body) => ({ fields: ['transfer-encoding: chunked'], body })),
  // Fewer or more bytes than announced.
  { fields: ['content-length: 5000'], body: BODY },
  { fields: [LENGTH], body: `${BODY}GET / HTTP/1.1\r\n` },
  { fields: [LENGTH], body: `${BODY}\u0000\u0001\u0002` },
  // Compressed bodies. No part of Platter decompresses them.
  { fields: [`content-length: ${BOMB.length}`, 'content-encoding: gzip'], body: BOMB },
  ...(
    [
      ['gzip', gzipSync(BODY)],
      ['deflate', deflateSync(BODY)],
      ['br', brotliCompressSync(BODY)],
      ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(BODY)))],
      ['gzip', Buffer.from(BODY)],
    ] as const
  ).map(([encoding, body]) => ({
    fields: [`content-length: ${body.length}`, `content-encoding: ${encoding}`],
    body,
  })),
  // Text in another encoding than UTF-8, or with a header that names another one.
  ...(['utf16le', 'latin1'] as const).map((encoding) => {
    const body = Buffer.from('{"a":"é"}', encoding)
    return { fields: [`content-length: ${body.length}`, `x-charset: ${encoding}`], body }
  }),
  { fields: [LENGTH, 'expect: 100-continue'], body: BODY },
  { fields: [LENGTH, 'expect: 200-ok'], body: BODY },
  { fields: ['content-length: 0', 'expect: 100-continue'], body: '' },
]

const FIELDS: readonly string[] = [
  'x: a\r\n b',
  'x: a\r\n\tb\r\n c',
  ' x: folded first',
  'no colon',
  'x : y',
  'x y: z',
  ': y',
  'x: a\rb',
  'x: a\nb: c',
  'x: a\u0000b',
  'x\u0000: b',
  'x\u00e9: b',
  'x(y): b',
  'x: \u007f',
  `x: ${'y'.repeat(20_000)}`,
  `${'x'.repeat(20_000)}: y`,
  'x: y\r\n'.repeat(2_500).trimEnd(),
  'host: elsewhere',
  'host: a, b',
  'host:',
  'host: a@b:99999/path?x#y',
  'accept: application/xml',
  'accept: ;q=x',
  `idempotency-key: ${'"'.repeat(300)}`,
  'traceparent: 00-0-0-0',
  `x-forwarded-for: ${','.repeat(500)}`,
  'x-forwarded-for: ::1, 999.1.1.1',
  'content-type: text/plain',
  'content-type: application/json\r\ncontent-type: text/xml',
  'x-access-token: other',
  'x-request-id: a\r\nx-request-id: b',
  'x-forwarded-host: evil.example',
  'x-forwarded-proto: \u0001',
  'forwarded: for="[::1]";proto=gopher',
  'x-original-url: /operatorapi/v1/applications',
  'x-rewrite-url: /internal/resolve-access-key',
  'x-http-method-override: DELETE',
  'x-platter-principal: e30.e30.e30',
  'x-platter-starting: true',
  'x-platter-stopping: true',
  'x-client-id: 1',
  'connection: x-access-token',
  'connection: close, keep-alive, upgrade, x-request-id',
  'keep-alive: timeout=1e9',
  'upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\nsec-websocket-version: 13',
  'upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQAAP__',
  'te: trailers, deflate;q=0.5',
  'trailer: content-length',
  'proxy: http://evil.example',
  'range: bytes=0-18446744073709551615',
  `range: bytes=${'0-,'.repeat(1_500)}`,
  `accept-encoding: ${'gzip;q=0,'.repeat(1_000)}`,
  `accept: ${'*/*,'.repeat(2_000)}`,
  `cookie: ${'a=b;'.repeat(2_000)}`,
  `if-none-match: ${'"a",'.repeat(2_000)}`,
  `traceparent: 00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
  `tracestate: ${'a=b,'.repeat(2_000)}`,
  `baggage: ${'k=v,'.repeat(2_000)}`,
]

/** Other protocols, and bytes of no protocol. */
const STRANGERS: readonly (string | Buffer)[] = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  Buffer.from('1603010200010001fc0303', 'hex'),
  'SSH-2.0-OpenSSH_9.2\r\n',
  'EHLO there\r\n',
  'AMQP\u0000\u0000\u0009\u0001',
  '*1\r\n$4\r\nPING\r\n',
  'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n',
  '\r\n\r\n\r\n',
  '\u0000'.repeat(1_000),
  'GET',
  'GET /',
  'GET / HTTP/1.1',
  'GET / HTTP/1.1\r\nhost',
  'x'.repeat(100_000),
]

const lineOf = (random: Random, method: string, path: string): string =>
  random.pick([
    `${method} ${path} HTTP/1.1`,
    `${method} ${path} HTTP/1.1`,
    `${method} ${path} HTTP/1.1`,
    `${method} http://elsewhere.example${path} HTTP/1.1`,
    `${method} //elsewhere.example${path} HTTP/1.1`,
    `${method} ${path}#fragment HTTP/1.1`,
    `${method} ${path}?${'a'.repeat(9_000)} HTTP/1.1`,
    `${method} ${path}${'/x'.repeat(9_000)} HTTP/1.1`,
    `${method} ${path.replace('/v1', '/v1/..%2fv1')} HTTP/1.1`,
    `${method} ${path}%zz HTTP/1.1`,
    `${method} ${path}%c0%af HTTP/1.1`,
    `${method} ${path.toUpperCase()} HTTP/1.1`,
    `${method} ${path}/ HTTP/1.1`,
    `${method} ${path};a=b HTTP/1.1`,
    `${method} ${path}\u0000 HTTP/1.1`,
    `${method} ${path}\u00ff HTTP/1.1`,
    `${method}  ${path} HTTP/1.1`,
    `${method}\t${path}\tHTTP/1.1`,
    `${method} ${path} HTTP/1.1 `,
    `${method} ${path} HTTP/1.0`,
    `${method} ${path} HTTP/1.2`,
    `${method} ${path} HTTP/0.9`,
    `${method} ${path} HTTP/9`,
    `${method} ${path} HTTPS/1.1`,
    `${method} ${path} http/1.1`,
    `${method} ${path}`,
    `${method} elsewhere.example:443 HTTP/1.1`,
    `${method} * HTTP/1.1`,
    `\r\n\r\n${method} ${path} HTTP/1.1`,
  ])

/** Generates one request with wrong bytes, or bytes that resemble a request. */
export function makeWireRequest(random: Random, world: World): Made {
  const turn = random.next()
  if (turn < 0.08) return { ...made('stranger', Buffer.from(random.pick(STRANGERS)), false), ends: true }
  const path = pathOf(random, world)
  const method = random.next() < 0.5 ? 'POST' : random.pick(METHODS)
  const { fields, body } = random.pick(FRAMINGS)
  const lines = [
    random.next() < 0.7 ? `${method} ${path} HTTP/1.1` : lineOf(random, method, path),
    ...(random.next() < 0.97 ? ['host: localhost'] : []),
    // Bad keys are counted by address, and must not block the address of other tests.
    `x-forwarded-for: 198.51.100.${random.between(0, 255)}`,
    `x-access-token: ${world.keyFor(path)}`,
    ...(random.next() < 0.8 ? ['content-type: application/json'] : []),
    ...(random.next() < 0.7 ? fields : []),
    ...(random.next() < 0.5 ? [random.pick(FIELDS)] : []),
  ]
  const end = random.next() < 0.97 ? '\r\n' : '\n'
  const one = Buffer.concat([Buffer.from(`${lines.join(end)}${end}${end}`, 'latin1'), Buffer.from(body)])
  // Several requests on one connection. Each must begin at the end of the previous one.
  const several = random.next() < 0.1 ? Array.from({ length: random.between(2, 20) }, () => one) : [one]
  return {
    ...made('wire', Buffer.concat(several), method === 'HEAD'),
    ...(random.next() < 0.2 && { ends: true }),
  }
}

/** Usually long enough for a response. */
const NO_MORE_AFTER_MS = 250

const made = (operation: string, bytes: Buffer, isHead: boolean): Made => ({
  operation,
  bytes,
  isHead,
  ends: NO_MORE_AFTER_MS,
  mayClose: true,
})

function pathOf(random: Random, world: World): string {
  if (random.next() < 0.2) return random.pick(OTHER_PATHS)
  const parts = random.pick(operations).path.split('/')
  return parts
    .map((part, at) => (part.startsWith(':') ? (world.apiKeys[parts[at - 1] ?? '']?.[0] ?? 'none') : part))
    .join('/')
}
