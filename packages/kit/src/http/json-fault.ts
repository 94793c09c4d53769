/** The position of the first syntax error in a JSON text, with the expected token. Line and column count from 1. */
type JsonFault = { line: number; column: number; expected: string; found: string }

type Opening = '{' | '['
type Closing = '}' | ']'
type Expected = 'value' | 'element or end' | 'name' | 'name or end' | 'colon' | 'comma or end'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const LITERALS = ['true', 'false', 'null']
const HEX = /[\dA-Fa-f]{4}/y
/** Unescaped characters of a string: all characters from U+0020, except the double quote and the backslash. */
// eslint-disable-next-line no-control-regex
const PLAIN = /[^"\\\u0000-\u001F]*/y

/** A syntax error at an offset. The parser throws it and stops. */
class Unexpected extends Error {
  readonly at: number
  readonly expected: string
  constructor(at: number, expected: string) {
    super(expected)
    this.at = at
    this.expected = expected
  }
}

/**
 * Returns the first syntax error of a text by the grammar of RFC 8259, or null. JSON.parse reports a position for only some errors,
 * and quotes the text around it, which may be a card number. Here `found` is punctuation or a kind of character. The parser is not
 * recursive, because arrays may be nested 30,000 deep.
 */
export function jsonFault(text: string): JsonFault | null {
  try {
    read(text)
    return null
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error
    const before = text.slice(0, error.at).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return { line: before.length, column, expected: error.expected, found: kindAt(text, error.at) }
  }
}

function read(text: string): void {
  const open: Opening[] = []
  const end = (): Closing => (open.at(-1) === '{' ? '}' : ']')
  let expected: Expected = 'value'
  // The JSON parser of Fastify tolerates a byte order mark.
  let at = afterSpace(text, Number(text.startsWith('\uFEFF')))
  for (;;) {
    const character = text[at]
    if (MAY_END.has(expected) && character === end()) {
      open.pop()
      expected = 'comma or end'
      at++
    } else if (expected === 'value' || expected === 'element or end') {
      if (isOpening(character)) open.push(character)
      at = afterValue(text, at, expected)
      expected = WITHIN[character ?? ''] ?? 'comma or end'
    } else {
      at = afterMark(text, at, expected, end())
      expected = NEXT[expected] ?? AFTER_COMMA[end()]
    }
    at = afterSpace(text, at)
    if (open.length === 0 && expected === 'comma or end') return checkEnd(text, at)
  }
}

function checkEnd(text: string, at: number): void {
  if (at < text.length) throw new Unexpected(at, 'the end of the body')
}

const isOpening = (character: string | undefined): character is Opening =>
  character === '{' || character === '['

const WITHIN: Record<string, Expected> = { '{': 'name or end', '[': 'element or end' }
const MAY_END = new Set<Expected>(['element or end', 'name or end', 'comma or end'])

const AFTER_COMMA: Record<Closing, Expected> = { '}': 'name', ']': 'value' }

const NEXT: Partial<Record<Expected, Expected>> = { name: 'colon', 'name or end': 'colon', colon: 'value' }

function afterMark(text: string, at: number, expected: Expected, end: string): number {
  if (expected === 'colon' || expected === 'comma or end') {
    const mark = expected === 'colon' ? ':' : ','
    if (text[at] === mark) return at + 1
    throw new Unexpected(at, expected === 'colon' ? '":"' : `"," or "${end}"`)
  }
  if (text[at] === '"') return afterString(text, at)
  throw new Unexpected(at, `a name in double quotes${expected === 'name' ? '' : ' or "}"'}`)
}

const SPACE = new Set([' ', '\t', '\n', '\r'])

function afterSpace(text: string, from: number): number {
  let at = from
  while (SPACE.has(text[at] ?? '')) at++
  return at
}

function afterValue(text: string, at: number, expected: Expected): number {
  const character = text[at]
  if (isOpening(character)) return at + 1
  if (character === '"') return afterString(text, at)
  const literal = LITERALS.find((one) => text.startsWith(one, at))
  if (literal !== undefined) return at + literal.length
  NUMBER.lastIndex = at
  if (NUMBER.test(text)) return NUMBER.lastIndex
  throw new Unexpected(at, expected === 'value' ? 'a value' : 'a value or "]"')
}

function afterString(text: string, from: number): number {
  let at = from + 1
  for (;;) {
    PLAIN.lastIndex = at
    PLAIN.test(text)
    at = PLAIN.lastIndex
    const character = text[at]
    if (character === undefined) throw new Unexpected(at, 'the closing double quote of a string')
    if (character === '"') return at + 1
    if (character !== '\\') throw new Unexpected(at, 'a string without line breaks and control characters')
    at += lengthOfEscape(text, at)
  }
}

function lengthOfEscape(text: string, at: number): number {
  const escaped = text[at + 1] ?? ''
  if (escaped !== '' && '"\\/bfnrt'.includes(escaped)) return 2
  HEX.lastIndex = at + 2
  if (escaped === 'u' && HEX.test(text)) return 6
  throw new Unexpected(at + 1, 'one of "\\/bfnrt or u with four hexadecimal digits after a backslash')
}

const KINDS: readonly [RegExp, string][] = [
  [/[{}[\],:]/, ''],
  [/"/, 'a double quote'],
  [/'/, 'a single quote'],
  [/[\r\n]/, 'a line break'],
  [/\p{L}/u, 'a letter'],
  [/\p{N}/u, 'a digit'],
  [/\p{C}/u, 'a control character'],
]

/** Returns punctuation verbatim, and only the kind of any other character, which may be part of a secret. */
function kindAt(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end of the body'
  const character = String.fromCodePoint(point)
  const kind = KINDS.find(([pattern]) => pattern.test(character))?.[1] ?? 'another character'
  return kind === '' ? `"${character}"` : kind
}
