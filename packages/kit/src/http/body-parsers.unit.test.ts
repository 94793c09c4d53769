import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { bodyTooLarge } from '#/http/body-parsers.ts'

test.each([
  ['70000', 'The body has 70000 bytes: this endpoint takes at most 65536 bytes (64 KiB).'],
  [undefined, 'The body is too large: this endpoint takes at most 65536 bytes (64 KiB).'],
  ['4242424242424242', 'The body is too large: this endpoint takes at most 65536 bytes (64 KiB).'],
])('for the content-length %s, the problem of a large body is: %s', (length, detail) => {
  const request = { routeOptions: { bodyLimit: 65_536 }, headers: { 'content-length': length } }
  expect(bodyTooLarge(request as FastifyRequest).message).toBe(detail)
})
