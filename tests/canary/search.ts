import { HOLDER, WORD, WORD_STARTS, type Needles } from './canaries.ts'

/*
 * Searches bytes for secrets in every form in which software writes them. It does not search for each needle. It extracts the
 * candidates (sequences of digits, words with a known prefix) and looks them up. The time is equal for one needle and for a hundred
 * thousand.
 */

type Form = 'text' | 'UTF-16' | 'escaped' | 'hex' | 'base64'
/** `at`: the approximate position in the bytes. */
export type Find = { what: string; form: Form; at: number }

/** Pieces overlap by more than any needle in any form, so a needle that one piece cuts is complete in the next. */
const OVERLAP = 8 * 1024
/** The number of bytes that are searched as one text. */
export const PIECE = 1024 * 1024
const ZEROS = Buffer.alloc(PIECE + OVERLAP)

/** Returns all needles in these bytes, at any position of the piece boundaries. */
export function search(bytes: Buffer, needles: Needles): Find[] {
  const found = new Map<string, Find>()
  for (let from = 0; from < bytes.length; from += PIECE) {
    const piece = bytes.subarray(from, from + PIECE + OVERLAP)
    // The write-ahead log of PostgreSQL consists mostly of zeros.
    if (piece.equals(ZEROS.subarray(0, piece.length))) continue
    for (const { what, form, at } of searchText(piece.toString('latin1'), needles))
      found.set(`${what} ${form} ${from + at}`, { what, form, at: from + at })
  }
  return [...found.values()]
}

/** The text has one character for each byte. */
function searchText(text: string, needles: Needles): Find[] {
  const inView = (form: Form, at: number, view: string): Find[] =>
    lookUp(view, needles).map((what) => ({ what, form, at }))
  const found = [...plain(text, needles)]
  for (const { 0: run, index } of text.matchAll(UTF16))
    found.push(...inView('UTF-16', index, run.replaceAll('\0', '')))
  for (const [at, run] of escapedRuns(text)) found.push(...inView('escaped', at, unescaped(run)))
  for (const { 0: run, index } of text.matchAll(HEX))
    found.push(...inView('hex', index, Buffer.from(run, 'hex').toString('latin1')))
  for (const { 0: run, index } of text.matchAll(BASE64_DIGITS))
    found.push(
      ...inView('base64', index, fromBase64(text.slice(Math.max(0, index - 4), index + run.length + 4))),
    )
  for (const { pattern, before } of BASE64_WORDS)
    for (const { index } of text.matchAll(pattern)) {
      const quad = index - before
      if (quad >= 0) found.push(...inView('base64', index, fromBase64(text.slice(quad, quad + 100))))
    }
  return found
}

// Plain text ---------------------------------------------------------------------------------------------------

/** 13 or more digits with short separators: spaces, dashes, line ends, the zeros of UTF-16, commas of a list. */
const DIGITS = /\d(?:[\s._/+,:;|\-\0]{0,3}\d){12,}/g
const LENGTHS = [13, 14, 15, 16, 17, 18, 19]
/** Finds any number with such a name, also in text that cannot be parsed. */
const NAMED_NUMBER = /card[_-]?number[^0-9A-Za-z]{1,8}\d{12,19}/gi
/**
 * `"cvv":"0123"`, `cvv=0123`, `cvc: 123`. A comma is excluded because the next column follows it. `incorrect_cvc` may precede a
 * year.
 */
const NAMED_CVV = /(?:cvv|cvc|csc|security[_ -]?code)2?[^0-9A-Za-z,]{1,8}\d{3,4}(?!\d)/gi
/** The width of a record: a row, a message or a line. */
const BESIDE = 600

function* plain(text: string, needles: Needles): Generator<Find> {
  for (const { 0: run, index } of text.matchAll(DIGITS))
    for (const what of numbersIn(run, needles)) yield { what, form: 'text', at: index }
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const what = needles.words.get(word)
    if (what !== undefined) yield { what, form: 'text', at: index }
  }
  for (const { index } of text.matchAll(NAMED_NUMBER))
    yield { what: 'a number by its name', form: 'text', at: index }
  for (const { index } of text.matchAll(NAMED_CVV))
    yield { what: 'a cvv by its name', form: 'text', at: index }
  for (const { 0: holder, index } of text.matchAll(HOLDER)) {
    const card = needles.cvvs.get(holder)
    if (card && isBeside(text, index, card.cvv)) yield { what: card.what, form: 'text', at: index }
  }
}

const lookUp = (view: string, needles: Needles): string[] => [...plain(view, needles)].map(({ what }) => what)

function* numbersIn(run: string, needles: Needles): Generator<string> {
  const digits = run.replaceAll(/\D/g, '')
  for (let from = 0; from + 13 <= digits.length; from++)
    for (const length of LENGTHS) {
      const what = needles.numbers.get(digits.slice(from, from + length))
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

/** Card numbers, alone or in groups, words, and names of a cvv. */
const HEX = new RegExp(
  `(?:3[0-9]|2[0d]){13,}|(?:${[...WORD_STARTS, '"cvv"'].map(hexOf).join('|')})(?:[2-7][0-9a-f]){5,60}`,
  'gi',
)
function hexOf(text: string): string {
  return Buffer.from(text).toString('hex')
}

const ESCAPE = /%[0-9a-f]{2}|\\u00[0-9a-f]{2}|\\x[0-9a-f]{2}/gi
const ESCAPED_CHARACTER = /[\w.~%\\+-]/

/**
 * The longest text with `%34`, `\u0034` or `\x34` that is decoded as a whole. The limit exists because binary data contain many of
 * both.
 */
const LONGEST_ESCAPED = 400
function* escapedRuns(text: string): Generator<[number, string]> {
  let done = 0
  for (const { index } of text.matchAll(ESCAPE)) {
    if (index < done) continue
    let start = index
    while (start > done && index - start < LONGEST_ESCAPED && ESCAPED_CHARACTER.test(text[start - 1] ?? ''))
      start--
    let end = index
    while (end < text.length && end - index < LONGEST_ESCAPED && ESCAPED_CHARACTER.test(text[end] ?? ''))
      end++
    // The next text begins at the possible cut of this one.
    done = Math.max(index + 1, end - LONGEST_ESCAPED / 2)
    yield [start, text.slice(start, end)]
  }
}
const unescaped = (run: string): string =>
  run.replaceAll(ESCAPE, (escape) => String.fromCharCode(Number.parseInt(escape.slice(-2), 16)))

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Returns the base64 characters for the digits, spaces and dashes of a card number, at each of the four positions. */
const classAt = (place: number): string => {
  const bytes = [...Buffer.from('0123456789 -')]
  const of = (first: number, second: number, third: number) =>
    Buffer.from([first, second, third]).toString('base64')[place] ?? ''
  const all = bytes.flatMap((one) => bytes.flatMap((two) => bytes.map((three) => of(one, two, three))))
  return `[${[...new Set(all)].toSorted((one, other) => BASE64.indexOf(one) - BASE64.indexOf(other)).join('')}]`
}
/** In 13 digits, three groups of three are complete at any start position. */
const BASE64_DIGITS = new RegExp(`(?:${[0, 1, 2, 3].map(classAt).join('')}){3,}`, 'g')

/** Returns the base64 characters of a text that do not depend on the `shift` bytes before it. */
function base64Of(text: string, shift: number): { pattern: RegExp; before: number } {
  const before = Math.ceil((shift * 8) / 6)
  const whole = Buffer.from(`${'\0'.repeat(shift)}${text}`).toString('base64')
  const sure = whole.slice(before, Math.floor(((shift + text.length) * 8) / 6))
  return { pattern: new RegExp(sure.replaceAll(/[+/]/g, String.raw`\$&`), 'g'), before }
}
const BASE64_WORDS = [...WORD_STARTS, '"cvv"'].flatMap((start) =>
  [0, 1, 2].map((shift) => base64Of(start, shift)),
)

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1')
