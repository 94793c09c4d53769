import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCardNumber, maskCardNumbers, maskInEmail } from './card-number.ts'
import { NewAddress } from './inputs.ts'
import { filledText, text } from './values.ts'

test.each([
  ['a card number', 'charge 4242424242424242!', 'charge ************4242!'],
  ['one in groups', '4242 4242 4242 4242', '**** **** **** 4242'],
  ['one with dashes', '4242-4242-4242-4242', '****-****-****-4242'],
  ['one of 13 digits', '4222222222222', '*********2222'],
  ['one of 15 digits', '3782 822463 10005', '**** ****** *0005'],
  ['one of 19 digits', '6304000000000000000', '***************0000'],
  ['one right behind a word', 'visa4242424242424242', 'visa************4242'],
  ['one behind a plus', '+4242424242424242', '+************4242'],
  ['two', '4242424242424242, 378282246310005', '************4242, ***********0005'],
])('masks %s', (_, typed, stored) => {
  expect(maskCardNumbers(typed)).toBe(stored)
})

test('masks one with its expiry and cvv beside it', () => {
  expect(maskCardNumbers('4242 4242 4242 4242 09 31 314')).toMatch(/^\*{4} \*{4} \*{4} /)
})

test.each([
  ['a telephone number', '608-555-0142'],
  ['one with its country', '1 608 555 0142'],
  ['one of 13 digits, as E.164 writes it', '+4915112345676'],
  ['two of them', '608-555-0142 608-555-0143'],
  ['a ZIP+4 code', '53703-2201'],
  ['a long number that is none', '4242424242424'],
  ['digits with more than one space between', '42424242  42424242'],
  ['our identifiers', 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'],
])('leaves %s alone', (_, typed) => {
  expect(maskCardNumbers(typed)).toBe(typed)
})

const cardNumber = fc
  .integer({ min: 12, max: 18 })
  .chain((length) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`)))
  .map((start) => Array.from('0123456789', (digit) => start + digit).find(isCardNumber)!)
const separated = fc
  .tuple(cardNumber, fc.array(fc.constantFrom('', ' ', '-'), { minLength: 19, maxLength: 19 }))
  .map(([digits, between]) =>
    Array.from(digits, (digit, place) => (place === 0 ? digit : between[place] + digit)).join(''),
  )
/** What people type and what only looks like a card number. */
const typed = fc
  .array(fc.oneof(separated, fc.string(), fc.stringMatching(/^[\d -]{1,30}$/), fc.constantFrom('+', '*')))
  .map((parts) => parts.join(''))

/** Apart from what is written as a telephone number. */
const runsOf = (masked: string): string[] =>
  [...masked.matchAll(/(?<!\+)(?<!\d[ -]?)\d(?:[ -]?\d){12,}/g)]
    .map(([run]) => run)
    .filter((run) => !/^(?:\d{3}[ -]\d{3}[ -]\d{4}(?:[ -]|$))+$/.test(run))

test('masking leaves no 13 to 19 digits in a row that pass the Luhn check', () => {
  fc.assert(
    fc.property(typed, (value) => {
      for (const run of runsOf(maskCardNumbers(value))) {
        const digits = run.replaceAll(/[ -]/g, '')
        for (let from = 0; from < digits.length; from++)
          for (let length = 13; length <= 19 && from + length <= digits.length; length++)
            expect(isCardNumber(digits.slice(from, from + length))).toBe(false)
      }
    }),
  )
})

test('masking leaves the last four digits of a card number, whatever is between its digits', () => {
  fc.assert(
    fc.property(separated, (value) => {
      const left = maskCardNumbers(value).replaceAll(/[ -]/g, '')
      expect(left).toMatch(/^\*{9,15}\d{4}$/)
      expect(value.replaceAll(/[ -]/g, '').endsWith(left.slice(-4))).toBe(true)
    }),
  )
})

test('masking again changes nothing, and only digits are ever changed', () => {
  fc.assert(
    fc.property(typed, (value) => {
      const masked = maskCardNumbers(value)
      expect(maskCardNumbers(masked)).toBe(masked)
      expect(masked).toHaveLength(value.length)
      const changed = Array.from(value.split(''), (was, place) => was + masked[place]).filter(
        ([was, is]) => was !== is,
      )
      expect(changed.filter((pair) => !/^\d\*$/.test(pair))).toEqual([])
    }),
  )
})

test('masking changes no text without 13 digits in a row', () => {
  const short = fc.string().filter((value) => !/\d(?:[ -]?\d){12}/.test(value))
  fc.assert(
    fc.property(short, (value) => {
      expect(maskCardNumbers(value)).toBe(value)
    }),
  )
})

test('text is masked when it is parsed; its bounds are of what was sent', () => {
  expect(text(16).parse('4242424242424242')).toBe('************4242')
  expect(text(15).safeParse('4242424242424242').success).toBe(false)
  expect(filledText(20).parse(' 4242424242424242 ')).toBe('************4242')
  const address = { streetAddress: '4242 4242 4242 4242', city: 'Madison', state: 'WI', zip: '53703' }
  expect(NewAddress.parse(address)).toMatchObject({ streetAddress: '**** **** **** 4242' })
})

test.each([
  ['4242424242424242@example.org', '************4242@example.org'],
  ['maria+4242 4242 4242 4242@example.org', 'maria+**** **** **** 4242@example.org'],
  ['4242-4242-4242-4242', '****-****-****-4242'],
])('one in an e-mail address is masked: %s', (email, masked) => {
  expect(maskInEmail(email)).toBe(masked)
})

test('the digits of a UUID in an e-mail address are left alone', () => {
  const email = 'maria.42424242-4242-4242-8242-424242424242@example.org'
  expect(maskInEmail(email)).toBe(email)
})
