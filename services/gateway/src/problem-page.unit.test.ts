import type { ProblemCode } from '@platter/contracts'
import { expect, test } from 'vitest'
import { problemPage } from '#/problem-page.ts'

test.each<[ProblemCode, string]>([
  ['cancel-too-late', 'POST /publicapi/v1/order/{apiKey}/cancel'],
  ['malformed-json', 'POST /publicapi/v1/order/{apiKey}/cancel'],
  ['idempotency-mismatch', 'POST /publicapi/v1/send-order'],
  ['rate-limited', 'any endpoint'],
  ['no-such-endpoint', 'paths without an endpoint'],
])('the page of %s names its source: %s', (code, source) => {
  expect(problemPage(code)).toContain(source)
})
