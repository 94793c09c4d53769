import { expect, test } from 'vitest'
import { Cursor } from '#/search-restaurants.ts'

test('a cursor fits the 200 characters of its field', () => {
  const longest = [8.64e15, 99_999, 'k'.repeat(100), false]
  expect(Buffer.from(JSON.stringify(longest)).toString('base64url').length).toBeLessThanOrEqual(200)
  expect(Cursor.parse(longest)).toEqual(longest)
})

test.each([
  null,
  [1, 2],
  [0, 0, 'a'],
  [-1, 0, 'a', true],
  [1e300, 0, 'a', true],
  [0, 0.5, 'a', true],
  [0, 0, '', true],
])('%j is no cursor', (position) => {
  expect(Cursor.safeParse(position).success).toBe(false)
})
