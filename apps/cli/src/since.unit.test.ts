import { beforeEach, expect, test, vi } from 'vitest'
import { since } from '#/since.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const noon = now / 1000

beforeEach(() => {
  vi.useFakeTimers({ now })
  return () => vi.useRealTimers()
})

test.each([
  ['30s', noon - 30],
  ['24h', noon - 86_400],
  ['7d', noon - 604_800],
  ['2w', noon - 1_209_600],
  ['2026-11-20', noon - 43_200],
  ['2026-11-20T11:00:00Z', noon - 3_600],
  ['1795113000', 1_795_113_000],
  ['0', 0],
])('converts %s to epoch seconds', (text, epoch) => expect(since(text)).toBe(epoch))

test.each(['yesterday', '', '-1h', '2026-13-40', '1y', '12345678901'])('%o is rejected', (text) =>
  expect(() => since(text)).toThrow('must be a time'),
)
