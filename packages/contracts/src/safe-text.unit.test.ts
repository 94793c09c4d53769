import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeUnprintable, escapeUnprintableInJson, sanitizeText, stripInvisible } from '#/safe-text.ts'
import { filledText, text } from '#/values.ts'

const HONEST = [
  ['emoji joined by U+200D', '👩🏽‍🍳 👨‍👩‍👧‍👦 ❤️'],
  ['the flag of England, which tags spell', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['Hebrew', 'בלי בצל, תודה'],
  ['Arabic with digits and a mark', 'الطابق 3\u200F، شقة 7'],
  ['Persian with U+200C', 'می‌خواهم'],
  ['a combining accent', 'cafe\u0301'],
] as const

const HOSTILE = [
  ['NUL', 'no\u0000cheese', 'no cheese'],
  ['an escape sequence', 'no\u001B[31m cheese\u0007', 'no [31m cheese'],
  ['a C1 control', 'no\u009B31m cheese', 'no 31m cheese'],
  ['a next line of C1', 'no\u0085cheese', 'no cheese'],
  ['line breaks', 'no\r\ncheese\u2028at all', 'no cheese at all'],
  ['the first half of a surrogate pair', 'no\uD83Ccheese', 'no\uFFFDcheese'],
  ['the second half of a surrogate pair', 'no\uDF55cheese', 'no\uFFFDcheese'],
  ['a bidirectional override', 'no\u202Echeese\u202C', 'nocheese'],
  ['an isolate', '\u2067no cheese\u2069', 'no cheese'],
  ['zero-width spaces and a byte order mark', '\uFEFFno\u200B cheese\u2060', 'no cheese'],
  ['tag characters outside of a flag', 'no cheese\u{E0061}\u{E0062}', 'no cheese'],
  ['a text of white space', ' \u00A0\u3000\t', ''],
] as const

test.each(HOSTILE)('sanitizeText removes or replaces %s', (_, sent, kept) => {
  expect(sanitizeText(sent, 100)).toBe(kept)
})

test.each(HONEST.filter(([description]) => !description.includes('tags')))(
  'sanitizeText leaves %s unchanged',
  (_, sent) => {
    expect(sanitizeText(sent, 100)).toBe(sent)
  },
)

test('sanitizeText truncates a long text without splitting a surrogate pair', () => {
  expect(sanitizeText('pizza', 3)).toBe('piz')
  expect(sanitizeText('pi🍕', 3)).toBe('pi')
  expect(sanitizeText('pi zza', 3)).toBe('pi')
})

const anything = fc.string({ unit: 'binary', maxLength: 60 })
const withUnprintable = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('\u0000', '\u001B[2J', '\u009B', '\u202E', '\u2066', '\uD800', '\uDC00', '\u200B'),
    ),
  )
  .map((parts) => parts.join(''))

// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u2028\u2029]/

test('sanitizeText returns one well-formed, printable line within the bound, and is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(anything, withUnprintable), fc.integer({ min: 1, max: 40 }), (input, max) => {
      const kept = sanitizeText(input, max)
      expect(kept.isWellFormed()).toBe(true)
      expect(kept).not.toMatch(UNSAFE)
      expect(kept.length).toBeLessThanOrEqual(max)
      expect(kept).toBe(kept.trim())
      expect(sanitizeText(kept, max)).toBe(kept)
    }),
  )
})

test('escapeUnprintable leaves no character that controls a terminal', () => {
  fc.assert(
    fc.property(withUnprintable, (input) => {
      expect(escapeUnprintable(input)).not.toMatch(UNSAFE)
    }),
  )
  expect(escapeUnprintable('a\u009B2J\u202Eb\n')).toBe(String.raw`a\u009b2J\u202eb\u000a`)
})

test('escapeUnprintableInJson leaves no character that controls a terminal and keeps the JSON value', () => {
  fc.assert(
    fc.property(withUnprintable, (input) => {
      const json = escapeUnprintableInJson(JSON.stringify({ input }))
      expect(json).not.toMatch(UNSAFE)
      expect(JSON.parse(json)).toEqual({ input })
    }),
  )
})

test.each(HONEST)('text() keeps %s', (_, typed) => {
  expect(text(100).parse(typed)).toBe(typed)
})

test.each([
  ['a C1 control', 'no\u009B31m cheese', 'no31m cheese'],
  ['a bidirectional override', 'no \u202Eeseehc', 'no eseehc'],
  ['an isolate', '\u2066no cheese\u2069', 'no cheese'],
  ['invisible marks around a telephone number', '\u202D608-555-0142\u202C', '608-555-0142'],
  [
    'a zero-width space and a byte order mark of a copied address',
    '\u200B53703\uFEFF, Madison',
    '53703, Madison',
  ],
])('text() and stripInvisible() remove %s', (_, typed, kept) => {
  expect(text(100).parse(typed)).toBe(kept)
  expect(stripInvisible(typed)).toBe(kept)
})

test('filledText refuses a text of invisible characters as empty', () => {
  expect(filledText(100).safeParse('\u202E\u200B \u009B').error?.issues[0]?.message).toBe('is empty')
})
