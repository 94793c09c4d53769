import { expect, test } from 'vitest'
import { statementSuffixOf } from '#/domain/statement-suffix.ts'

test.each([
  ['Aurora Slice House', 'Aurora Sli'],
  ["Sam's Pies – 2nd & Main", 'Sams Pies'],
  ['Café Ñandú', 'Cafe Nandu'],
  ['Smørrebrød Straße', 'Smorrebrod'],
  ['  <b>"Pho"*</b>\\  ', 'b Pho b'],
  ['７-Eleven', '7-Eleven'],
  ['寿司 Kenji', 'Kenji'],
])('%j has the statement suffix %j', (name, suffix) => {
  expect(statementSuffixOf(name)).toBe(suffix)
})

test.each(['', '寿司', '1913', '***', "'"])('%j has no Latin letter, and no suffix', (name) => {
  expect(statementSuffixOf(name)).toBeUndefined()
})

test('a suffix has at most ten characters, and none that Stripe refuses', () => {
  for (let code = 0; code < 0x2_100; code++) {
    const suffix = statementSuffixOf(`ab${String.fromCharCode(code).repeat(20)}`) ?? ''
    expect(suffix).toMatch(/^[\w&.,+ -]{1,10}$/)
  }
})
