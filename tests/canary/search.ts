import { HOLDER, WORD, type Canaries } from './canaries.ts'

/*
 * Searches bytes for secrets in every form in which software writes them. It does not search for each needle. It extracts the
 * candidates (sequences of digits, words with a known prefix) and looks them up. The time is equal for one needle and for a hundred
 * thousand.
 */

type Form = 'text' | 'UTF-16' | 'escaped' | 'hex' | 'base64'
export type Find = { what: string; form: Form }

/** Pieces overlap by more than any needle in any form, so a needle that one piece cuts is complete in the next. */
const OVERLAP = 8 * 1024
/** The number of bytes that are searched as one text. */
const PIECE = 1024 * 1024
const ZEROS = Buffer.alloc(PIECE + OVERLAP)

/** Returns all needles in these bytes, each once in each form. */
export function search(bytes: Buffer, canaries: Canaries, step = PIECE): Find[] {
  const found = new Map<string, Find>()
  for (let from = 0; from < bytes.length; from += step) {
    const piece = bytes.subarray(from, from + step + OVERLAP)
    // The write-ahead log of PostgreSQL consists mostly of zeros.
    if (piece.equals(ZEROS.subarray(0, piece.length))) continue
    for (const [form, view] of views(piece.toString('latin1')))
      for (const what of plain(view, canaries)) found.set(`${what} ${form}`, { what, form })
  }
  return [...found.values()]
}

/** Returns the text, which has one character for each byte, and decodes each part of it that may be in another form. */
function* views(text: string): Generator<[Form, string]> {
  yield ['text', text]
  for (const [run] of text.matchAll(UTF16)) yield ['UTF-16', run.replaceAll('\0', '')]
  if (text.search(ESCAPE) !== -1) yield ['escaped', unescaped(text)]
  for (const [run] of text.matchAll(HEX))
    for (const start of [0, 1]) yield ['hex', Buffer.from(run.slice(start), 'hex').toString('latin1')]
  for (const [run] of text.matchAll(BASE64))
    for (const start of [0, 1, 2, 3])
      yield ['base64', Buffer.from(run.slice(start), 'base64').toString('latin1')]
}

// Plain text ---------------------------------------------------------------------------------------------------

/** 13 or more digits with short separators: spaces, dashes, line ends, the zeros of UTF-16, commas of a list. */
const DIGITS = /\d(?:[\s._/+,:;|\-\0]{0,3}\d){12,}/g
const LENGTHS = [13, 14, 15, 16, 17, 18, 19]
/** Finds any number with such a name, also in text that cannot be parsed. */
const NAMED_NUMBER = /card[_-]?number[^0-9A-Za-z]{1,8}\d{12,19}/gi
/**
 * `"cvv":"0123"`, `cvv=0123`, `cvc: 123`, with spaces and punctuation between name and value. A comma is excluded because the next
 * column follows it: `incorrect_cvc` may precede a year. Other bytes are parts of compressed text, where any number may follow.
 */
const NAMED_CVV = /(?:cvv|cvc|csc|security[_ -]?code)2?[\s!-+\-./:-@[-`{-~]{1,8}\d{3,4}(?!\d)/gi
/** The width of a record: a row, a message or a line. */
const BESIDE = 600

function* plain(text: string, canaries: Canaries): Generator<string> {
  for (const [run] of text.matchAll(DIGITS)) yield* numbersIn(run, canaries)
  for (const [word] of text.matchAll(WORD)) {
    const what = canaries.words.get(word)
    if (what !== undefined) yield what
  }
  if (text.search(NAMED_NUMBER) !== -1) yield 'a number by its name'
  if (text.search(NAMED_CVV) !== -1) yield 'a cvv by its name'
  for (const { 0: holder, index } of text.matchAll(HOLDER)) {
    const card = canaries.cvvs.get(holder)
    if (card && isBeside(text, index, card.cvv)) yield card.what
  }
}

function* numbersIn(run: string, canaries: Canaries): Generator<string> {
  const digits = run.replaceAll(/\D/g, '')
  for (let from = 0; from + 13 <= digits.length; from++)
    for (const length of LENGTHS) {
      const what = canaries.numbers.get(digits.slice(from, from + length))
      if (what !== undefined) yield what
    }
}

/** Separate means: not a part of a longer number, of a time or of an identifier. */
function isBeside(text: string, at: number, cvv: string): boolean {
  const around = text.slice(Math.max(0, at - BESIDE), at + BESIDE)
  for (let found = around.indexOf(cvv); found !== -1; found = around.indexOf(cvv, found + 1))
    if (!PART.test(around[found - 1] ?? '') && !PART.test(around[found + cvv.length] ?? '')) return true
  return false
}
const PART = /[0-9a-f.:-]/

// Other forms --------------------------------------------------------------------------------------------------

const UTF16 = /(?:[\x20-\x7e]\0){12,}[\x20-\x7e]?/g
/** Both are long enough for a named cvv. The encoded text may begin at any of their first digits. */
const HEX = /[0-9a-f]{20,}/gi
const BASE64 = /[\w+/-]{16,}/g
const ESCAPE = /%[0-9a-f]{2}|\\u00[0-9a-f]{2}|\\x[0-9a-f]{2}/gi
const unescaped = (run: string): string =>
  run.replaceAll(ESCAPE, (escape) => String.fromCharCode(Number.parseInt(escape.slice(-2), 16)))
