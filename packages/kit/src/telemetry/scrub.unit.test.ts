import fc from 'fast-check'
import { isCardNumber } from '@platter/contracts'
import { expect, test } from 'vitest'
import { makeAccessKey } from '#/security/access-key.ts'
import { newApiKey } from '#/lifecycle/ids.ts'
import { scrub } from '#/telemetry/scrub.ts'

test.each([
  ['a card number', 'of 4242424242424242.', 'of [masked].'],
  ['a card number in groups', 'of 4242 4242 4242 4242!', 'of [masked]!'],
  ['a card number with dashes', '4242-4242-4242-4242', '[masked]'],
  ['a card number with its expiry behind it', '4242424242424242 0931', '[masked]'],
  ['a card number right behind a word', 'card4242424242424242', 'card[masked]'],
  ['an access key', 'with platter_live_1234567890abcdefghij', 'with platter_live_[masked]'],
  ['a card number with JSON line breaks', String.raw`{"a":"4242\n4242\n4242\n4242"}`, '{"a":"[masked]"}'],
  ['a card number with no-break spaces', '4242\u00A04242\u00A04242\u00A04242', '[masked]'],
  ['a card number in full-width digits', '\uFF14\uFF12'.repeat(8), '[masked]'],
  ['a card number as a JSON number', '{"a":4242424242424242,"b":1}', '{"a":0,"b":1}'],
  ['a key of Stripe', 'Bearer sk_live_51abcdefgh', 'Bearer sk_live_[masked]'],
  ['a signing secret', 'whsec_c2VjcmV0c2VjcmV0 is', 'whsec_[masked] is'],
  ['a key in a URL', '/menu?a=1&access-token=anything%20at+all&b=2', '/menu?a=1&access-token=[masked]&b=2'],
  ['a key in a URL with its name encoded', '/menu?access%2Dtoken=x', '/menu?access%2Dtoken=[masked]'],
])('masks %s', (_, text, masked) => {
  expect(scrub(text)).toBe(masked)
})

test.each([
  ['the prefix of an access key', 'platter_live_1234'],
  ['a number of twelve digits', '424242424242'],
  ['a number of no issuer', '1000000000009'],
  ['a telephone number', '608-555-0142'],
  ['a telephone number with its country code', '+49 (0)4012 345678901'],
  ['a time', '2026-11-21T18:02:59.123Z'],
  ['a trace id and a span id', '"4bf92f3577b34da6a3ce929d0e0e4736","00f067aa0ba902b7"'],
])('leaves %s unchanged', (_, text) => {
  expect(scrub(text)).toBe(text)
})

test('leaves 5,000 random identifiers unchanged', () => {
  const changed = Array.from({ length: 5_000 }, () => `"${newApiKey()}" ${crypto.randomUUID()}`).filter(
    (line) => scrub(line) !== line,
  )
  expect(changed).toEqual([])
})

/** Numbers of Visa. */
const cardNumber = fc
  .constantFrom(11, 14)
  .chain((length) => fc.stringMatching(new RegExp(String.raw`^4\d{${length}}$`)))
  .map((start) => Array.from('0123456789', (digit) => start + digit).find(isCardNumber)!)
const secret = fc.oneof(
  cardNumber,
  fc.constant(null).map(() => makeAccessKey('live')),
)

test('masks a secret at any place in a line of JSON, and the line stays valid JSON', () => {
  const around = fc.string().filter((text) => !/[0-9a-f]$|^[0-9a-f]/.test(text))
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), secret, around, around, (value, found, before, after) => {
      const line = scrub(JSON.stringify({ err: { message: before + found + after, cause: [value] } }))
      expect(line).not.toContain(found)
      expect(() => JSON.parse(line) as unknown).not.toThrow()
    }),
  )
})
