import { expect, test } from 'vitest'
import { matchesEtag } from '#/http/etag.ts'

test.each([
  ['"7-0"', true],
  ['W/"7-0"', true],
  ['*', true],
  [' * ', true],
  ['"6-0", W/"7-0" , "8-0"', true],
  ['"6-0,7-0","7-0"', true],
  ['"7-1"', false],
  ['"7-0x"', false],
  ['7-0', false],
  ['"7-0', false],
  ['', false],
  ['"*"', false],
  [undefined, false],
])('If-None-Match: %s matches "7-0": %s', (header, expected) => {
  expect(matchesEtag(header, '"7-0"')).toBe(expected)
})
