import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { App } from '#/http/app.ts'
import { jsonFault } from '#/http/json-fault.ts'
import { Problem } from '#/http/problem.ts'

/** docs/interface.md, "Limits". */
export const BODY_LIMIT = 64 * 1024

/** The response does not repeat a larger `content-length`, which may be a card number. */
const LARGEST_REPEATED_LENGTH = 1e9

/** The problem of a request whose body exceeds the limit of its route. */
export function bodyTooLarge({ routeOptions, headers }: FastifyRequest): Problem {
  const limit = routeOptions.bodyLimit
  const size = Number(headers['content-length'])
  const has = size < LARGEST_REPEATED_LENGTH ? `has ${size} bytes` : 'is too large'
  return new Problem(
    'body-too-large',
    `The body ${has}: this endpoint takes at most ${limit} bytes (${limit / 1024} KiB).`,
  )
}

function notJson(text: string): Problem {
  // The JSON parser of Fastify tolerates a byte order mark.
  const fault = jsonFault(text.replace(/^\uFEFF/, ''))
  // The text is valid JSON, so the parser has rejected one of these two members.
  if (!fault)
    return new Problem(
      'malformed-json',
      'The body has a member __proto__ or constructor.prototype: leave it out.',
    )
  const { line, column, what } = fault
  return new Problem('malformed-json', `The body is not JSON. Line ${line}, column ${column}: ${what}.`)
}

/** The first two bytes of gzip (RFC 1952, 2.3.1). The gateway does not forward `content-encoding`. */
const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

const notUtf8 = (body: Buffer) =>
  new Problem(
    'malformed-json',
    isGzip(body) ? 'The body is compressed: send it without Content-Encoding.' : 'The body is not UTF-8.',
  )

/** Accepts JSON bodies. An empty body of any content type counts as absent. All other bodies are rejected with `not-json`. */
export function readJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    // Decoding would replace each invalid byte with U+FFFD and lose the client's bytes.
    if (!isUtf8(body)) return done(notUtf8(body))
    void parse(request, body.toString(), (error, value) =>
      error ? done(notJson(body.toString())) : done(null, value),
    )
  })
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) =>
    body.length === 0
      ? done(null, undefined)
      : done(new Problem('not-json', 'The body must be sent as application/json.')),
  )
}

/** Accepts all bodies as bytes, so that the gateway can forward them. */
export function readBytes(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
