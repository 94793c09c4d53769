import { beforeEach, expect, test, vi } from 'vitest'
import { oneOf, since, whole } from '#/parsers.ts'

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
  ['2026-11-20T11:00:00Z', noon - 3_600],
  ['1795113000', 1_795_113_000],
  ['0', 0],
])('converts %s to epoch seconds', (text, epoch) => expect(since(text)).toBe(epoch))

test("a date is the midnight of the operator's time zone, as in the output", () => {
  vi.stubEnv('TZ', 'America/Chicago')
  const midnight = Date.parse('2026-11-20T06:00:00Z') / 1000
  expect([since('2026-11-20'), since('2026-11-20 00:00:00')]).toEqual([midnight, midnight])
  vi.unstubAllEnvs()
})

test.each(['yesterday', '', '-1h', '2026-13-40', '2026-02-30', '2026-02-30T08:00:00Z', '1y', '12345678901'])(
  '%o is rejected',
  (text) => expect(() => since(text)).toThrow('must be a time'),
)

test('reads a value of the API in any case, and lists the values for another one', () => {
  const values = ['DELIVERED', 'OUT_FOR_DELIVERY']
  expect(['Delivered', 'out-for-delivery'].map(oneOf(values))).toEqual(values)
  expect(() => oneOf(values)('DELIVERD')).toThrow('it must be one of DELIVERED, OUT_FOR_DELIVERY.')
})

test('reads a whole number within its limits', () => {
  expect(['1', '40', '60'].map(whole(1, 60))).toEqual([1, 40, 60])
})

test.each(['0', '61', '-1', '1.5', '1e1', ' 1', ''])(
  'refuses "%s" as a whole number from 1 to 60',
  (text) => {
    expect(() => whole(1, 60)(text)).toThrow('it must be a whole number from 1 to 60.')
  },
)
