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
  ['{', [1, 2], "Expected property name or '}'"],
  ['{"items": [}', [1, 12], 'Unexpected character'],
  ["{'method': 'pickup'}", [1, 2], "Expected property name or '}'"],
  ['{"a": 01}', [1, 8], 'Unexpected number'],
  ['{"a": NaN}', [1, 7], 'Unexpected character'],
  ['{"a": nope}', [1, 8], 'Unexpected character'],
  ['{\n  "a": 1,\n}', [3, 1], 'Expected double-quoted property name'],
  ['{\n  "a": 1\n  "b": 2\n}', [3, 3], "Expected ',' or '}' after property value"],
  ['{"a" 1}', [1, 6], "Expected ':' after property name"],
  ['{"a":"\n"}', [1, 7], 'Bad control character in string literal'],
  ['{"a":"\\x"}', [1, 8], 'Bad escaped character'],
  ['{"a":"\\u12x4"}', [1, 11], 'Bad Unicode escape'],
  ['{"a":"b', [1, 8], 'Unterminated string'],
  ['{}{}', [1, 3], 'Unexpected non-whitespace character after JSON'],
  ['[1,]', [1, 4], 'Unexpected character'],
  ['[1,\n 2,\n x]', [3, 2], 'Unexpected character'],
  ['', [1, 1], 'Unexpected end of JSON input'],
  ['{"a": tr', [1, 9], 'Unexpected end of JSON input'],
  ['\u0000', [1, 1], 'Unexpected character'],
  ['[1, // two\n2]', [1, 5], 'Unexpected character'],
  // The error of JSON.parse quotes all of it.
  ['x42 at position 9', [1, 1], 'Unexpected character'],
] as const)('finds the fault of %j at line and column %j', (text, [line, column], what) => {
  expect(jsonFault(text)).toEqual({ line, column, what })
})

test('a fault contains none of the digits around it', () => {
  for (const between of [' ', ' x', ',"'])
    expect(JSON.stringify(jsonFault(`[4242424242424242${between}4000000000000002`))).not.toMatch(/42|000/)
})

test('finds a fault exactly when JSON.parse does, at the first character that cannot follow the text before it', () => {
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
      const fault = jsonFault(text)
      expect(fault === null).toBe(isJson(text))
      if (!fault) return
      const lines = text.split('\n').slice(0, fault.line)
      const before = [...lines.slice(0, -1), lines.at(-1)?.slice(0, fault.column - 1)].join('\n')
      const place = { line: fault.line, column: fault.column }
      // The text before the fault is valid, or ends too early.
      expect(jsonFault(before) ?? place).toMatchObject(place)
      const through = text.slice(0, before.length + 1)
      expect(through === before ? place : jsonFault(through)).toMatchObject(place)
    }),
    { numRuns: 2_000 },
  )
})

test('reads 200,000 levels of nesting, and 4 MB, without a stack overflow', () => {
  expect(jsonFault('['.repeat(200_000))).toMatchObject({ column: 200_001 })
  expect(jsonFault(`${'['.repeat(200_000)}x`)).toMatchObject({ column: 200_001 })
  expect(jsonFault(`{"a":"${'x'.repeat(4_000_000)}"} `)).toBeNull()
})
