import fc from 'fast-check'
import { isCardNumber } from '@platter/contracts'
import { expect, test } from 'vitest'
import { makeAccessKey } from '#/security/access-key.ts'
import { newApiKey } from '#/lifecycle/ids.ts'
import { scrub } from '#/telemetry/scrub.ts'

test.each([
  ['a card number', 'of 4242424242424242.', 'of [masked].'],
  ['one in groups', 'of 4242 4242 4242 4242!', 'of [masked]!'],
  ['one with dashes', '4242-4242-4242-4242', '[masked]'],
  ['one with its expiry behind it', '4242424242424242 0931', '[masked]'],
  ['one right behind a word', 'card4242424242424242', 'card[masked]'],
  ['an access key', 'with platter_live_1234567890abcdefghij', 'with platter_live_[masked]'],
  ['one with line breaks, as JSON has them', String.raw`{"a":"4242\n4242\n4242\n4242"}`, '{"a":"[masked]"}'],
  ['one with no-break spaces', '4242\u00A04242\u00A04242\u00A04242', '[masked]'],
  ['one in full-width digits', '\uFF14\uFF12'.repeat(8), '[masked]'],
  ['one that is a JSON number', '{"a":4242424242424242,"b":1}', '{"a":0,"b":1}'],
  ['a key of Stripe', 'Bearer sk_live_51abcdefgh', 'Bearer sk_live_[masked]'],
  ['a signing secret', 'whsec_c2VjcmV0c2VjcmV0 is', 'whsec_[masked] is'],
  ['a key in a URL', '/menu?a=1&access-token=anything%20at+all&b=2', '/menu?a=1&access-token=[masked]&b=2'],
  ['one with its name encoded', '/menu?access%2Dtoken=x', '/menu?access%2Dtoken=[masked]'],
])('masks %s', (_, text, masked) => {
  expect(scrub(text)).toBe(masked)
})

test.each([
  ['what may be shown of an access key', 'platter_live_1234'],
  ['a number of twelve digits', '424242424242'],
  ['a number of no issuer', '1000000000009'],
  ['a telephone number', '608-555-0142'],
  ['a telephone number with its country', '+49 (0)4012 345678901'],
  ['a time', '2026-11-21T18:02:59.123Z'],
  ['a trace and a span', '"4bf92f3577b34da6a3ce929d0e0e4736","00f067aa0ba902b7"'],
])('leaves %s alone', (_, text) => {
  expect(scrub(text)).toBe(text)
})

test('leaves our identifiers alone, whatever digits they have by chance', () => {
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

test('finds a secret wherever it is in a line of JSON, and leaves JSON', () => {
  const around = fc.string().filter((text) => !/[0-9a-f]$|^[0-9a-f]/.test(text))
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), secret, around, around, (value, found, before, after) => {
      const line = scrub(JSON.stringify({ err: { message: before + found + after, cause: [value] } }))
      expect(line).not.toContain(found)
      expect(() => JSON.parse(line) as unknown).not.toThrow()
    }),
  )
})
