import { Money } from '@platter/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonRenderer } from '#/http/json-renderer.ts'

const Zone = z.object({
  price: Money.nullable(),
  maxRadius: z.number().optional(),
  note: z.string().optional(),
})
const render = jsonRenderer(
  'zones',
  z.object({
    zones: z.array(Zone),
    byName: z.record(z.string(), Money),
    either: z.union([z.object({ tip: Money.describe('A tip') }), z.string()]),
    count: z.int(),
  }),
)
const rest = { zones: [], byName: {}, either: '', count: 8 }

test.each([
  [8, '8.00'],
  [0, '0.00'],
  [-1, '-1.00'],
  [10.5, '10.50'],
  [10.75, '10.75'],
  [0.1, '0.10'],
  [999_999.99, '999999.99'],
  [1.1, '1.10'],
  [4.35, '4.35'],
])('writes the amount %d with two decimals', (price, written) => {
  expect(render({ ...rest, zones: [{ price }] })).toContain(`"zones":[{"price":${written}}]`)
})

test('writes other decimals with a decimal point, and integers without one', () => {
  expect(render({ ...rest, zones: [{ price: null, maxRadius: 3 }] })).toContain(
    '"zones":[{"price":null,"maxRadius":3.0}]',
  )
  expect(render({ ...rest, zones: [{ price: null, maxRadius: -89.3831 }] })).toContain('"maxRadius":-89.3831')
  expect(render(rest)).toContain('"count":8}')
})

test('finds money in records, in unions and under a description', () => {
  const json = render({ ...rest, byName: { tip: 2 }, either: { tip: 3 } })
  expect(json).toContain('"byName":{"tip":2.00},"either":{"tip":3.00}')
})

test('omits a member without a value, and a member that the schema does not name', () => {
  expect(render({ ...rest, zones: [{ price: 1, note: undefined, secret: 'x' }] })).toContain(
    '[{"price":1.00}]',
  )
})

test('throws for a value that the schema does not allow', () => {
  expect(() => render({ ...rest, zones: [{ price: 1.234 }] })).toThrow('zones returned a value')
  expect(() => render({ ...rest, count: 1.5 })).toThrow('zones returned a value')
})
