import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdsCardNumber } from '#/raw-cards.ts'

const holds = (body: unknown) => holdsCardNumber(Buffer.from(JSON.stringify(body)))
const holdsText = (body: string) => holdsCardNumber(Buffer.from(body))

test.each<[string, string]>([
  ['a JSON string', '{"card":{"cardNumber":"4242424242424242"}}'],
  ['groups of digits', '{"cardNumber":"4242 4242 4242 4242"}'],
  ['groups of digits with dashes', '{"cardNumber":"4242-4242-4242-4242"}'],
  ['groups of digits with dashes of Unicode', '{"cardNumber":"4242\u20134242\u20134242\u20134242"}'],
  ['a JSON number', '{"cardNumber":4242424242424242}'],
  ['a JSON number with a fraction', '{"cardNumber":4242424242424242.0}'],
  ['a JSON number with an exponent', '{"cardNumber":4.242424242424242e15}'],
  ['a JSON number of 19 digits', '{"cardNumber":6205500000000000004}'],
  ['a JSON number of 19 digits with a fraction', '{"cardNumber":6205500000000000004.0}'],
  ['a document that is a number of 19 digits', '6205500000000000004'],
  ['the value of a name with escapes', String.raw`{"\u0063ardNumber":"4242424242424242"}`],
  ['digits with escapes', String.raw`{"cardNumber":"\u0034242424242424\u003242"}`],
  ['digits of another script', '{"comments":"４２４２４２４２４２４２４２４２"}'],
  ['line breaks between groups', String.raw`{"comments":"4242\n4242\n4242\n4242"}`],
  ['a part of a comment', '{"items":[{"comments":"pay by 4242424242424242 please"}]}'],
  ['the name of a member', '{"4242424242424242":1}'],
  ['the value of processorToken', '{"card":{"processorToken":"4242424242424242"}}'],
  ['the first value of a repeated member', '{"comments":"4242424242424242","comments":"Ring twice."}'],
  [
    'a part of the first value of a repeated member',
    '{"card":{"cardNumber":"4242 4242 4242 4242"},"card":{}}',
  ],
  ['an American Express number', '{"cardNumber":"378282246310005"}'],
  ['a number of 12 digits', '{"cardNumber":"500000000009"}'],
  ['a document that is not JSON', '{"cardNumber":"4242424242424242"'],
  ['a form field', 'cardNumber=4242424242424242&cvv=123'],
])('finds a card number as %s', (_how, body) => {
  expect(holdsText(body)).toBe(true)
})

test.each<[string, unknown]>([
  ['telephone numbers', { phone: '+49 151 23456789012', other: '608-555-0142', third: '0049 30 123456789' }],
  ['apiKeys', { apiKey: 'd0e4b2716c9f83a5e1d7480b2c6f9a35417ed8c092b3f65a' }],
  ['a UUID', { id: '42424242-4242-4242-8242-42424242424a' }],
  ['coordinates', { latitude: 42.42424242424242, longitude: -89.41253456789012 }],
  ['coordinates as text', { latitude: '42.42424242424242' }],
  ['times in milliseconds', { at: 1_795_199_700_123 }],
  ['a token of a processor', { processorToken: 'pm_1MqLiJLkdIwHu7ixUEgbFdYF' }],
  ['base64', { data: Buffer.from('Maria Lindqvist, 316 W Washington Ave').toString('base64') }],
  ['an accent and a line break', { comments: 'Café\nring twice, 316 W Washington Ave, 53703' }],
  ['an invalid check digit', { cardNumber: '4242424242424241' }],
])('does not take %s for a card number', (_what, body) => {
  expect(holds(body)).toBe(false)
})

test('finds every 16-digit Visa number in any position of any document', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 14, maxLength: 14 }),
      fc.constantFrom('', ' ', '-', '.', '\n', '\u00a0'),
      fc.json({ maxDepth: 2 }),
      (digits, separator, other) => {
        const number = withCheckDigit(`4${digits.join('')}`)
        const spelled = number.replaceAll(/\d{4}(?=\d)/g, `$&${separator}`)
        expect(holdsText(`{"a":${other},"b":${JSON.stringify(spelled)}}`)).toBe(true)
      },
    ),
  )
})

function withCheckDigit(digits: string): string {
  const sum = Array.from(digits, Number).reduce((total, digit, at) => {
    const counted = at % 2 === 0 ? digit * 2 : digit
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
