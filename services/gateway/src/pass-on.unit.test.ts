import { expect, test } from 'vitest'
import { withoutAccessKey } from './pass-on.ts'

test.each([
  ['/a', '/a'],
  ['/a?limit=1', '/a?limit=1'],
  ['/a?access-token=KEY', '/a'],
  ['/a?access-token=KEY&limit=1', '/a?limit=1'],
  ['/a?limit=1&access%2Dtoken=KEY', '/a?limit=1'],
  // The router reads a query behind a fragment's sign as well, and the key in it lets in.
  ['/a#access-token=KEY', '/a'],
  ['/a#access-token=KEY&limit=1', '/a?limit=1'],
])('%s goes on as %s', (url, passedOn) => {
  expect(withoutAccessKey(url)).toBe(passedOn)
})

test('what is searched for may have question marks in it', () => {
  expect(withoutAccessKey('/a?search=what?&limit=1&access-token=KEY')).toBe('/a?search=what?&limit=1')
})
