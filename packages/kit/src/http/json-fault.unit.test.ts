import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFault } from '#/http/json-fault.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // JSON.parse reports invalid text only by a SyntaxError.
    return false
  }
}

test.each([
  ['{', [1, 2], 'a name in double quotes or "}"', 'the end of the body'],
  ['{"items": [}', [1, 12], 'a value or "]"', '"}"'],
  ["{'method': 'pickup'}", [1, 2], 'a name in double quotes or "}"', 'a single quote'],
  ['{"a": 01}', [1, 8], '"," or "}"', 'a digit'],
  ['{"a": NaN}', [1, 7], 'a value', 'a letter'],
  ['{\n  "a": 1,\n}', [3, 1], 'a name in double quotes', '"}"'],
  ['{\n  "a": 1\n  "b": 2\n}', [3, 3], '"," or "}"', 'a double quote'],
  ['{"a" 1}', [1, 6], '":"', 'a digit'],
  ['{"a":"\n"}', [1, 7], 'a string without line breaks and control characters', 'a line break'],
  ['{"a":"\\x"}', [1, 8], 'one of "\\/bfnrt or u with four hexadecimal digits after a backslash', 'a letter'],
  ['{"a":"b', [1, 8], 'the closing double quote of a string', 'the end of the body'],
  ['{}{}', [1, 3], 'the end of the body', '"{"'],
  ['[1,]', [1, 4], 'a value', '"]"'],
  ['', [1, 1], 'a value', 'the end of the body'],
  ['\u0000', [1, 1], 'a value', 'a control character'],
  ['[1, // two\n2]', [1, 5], 'a value', 'another character'],
] as const)('finds the fault of %j at line and column %j', (text, [line, column], expected, found) => {
  expect(jsonFault(text)).toEqual({ line, column, expected, found })
})

test('a fault contains none of the digits around it', () => {
  const fault = jsonFault('{"cardNumber": 4242424242424242 4000000000000002}')
  expect(fault).toEqual({ line: 1, column: 33, expected: '"," or "}"', found: 'a digit' })
})

test('finds a fault in a text exactly when JSON.parse does', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-0.5e3',
    'true',
    ' ',
    '\n',
    'x',
    '"',
    '\\',
  )
  const broken = fc
    .tuple(fc.json(), fc.nat(), pieces)
    .map(
      ([json, at, piece]) =>
        `${json.slice(0, at % (json.length + 1))}${piece}${json.slice(at % (json.length + 1))}`,
    )
  const texts = fc.oneof(
    fc.json(),
    broken,
    fc.array(pieces).map((list) => list.join('')),
    fc.string(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      expect(jsonFault(text) === null).toBe(isJson(text))
    }),
    { numRuns: 2_000 },
  )
})

test('reads 200,000 levels of nesting, and 4 MB, without a stack overflow', () => {
  expect(jsonFault('['.repeat(200_000))).toMatchObject({ column: 200_001, found: 'the end of the body' })
  expect(jsonFault(`{"a":"${'x'.repeat(4_000_000)}"} `)).toBeNull()
})
