import { isIssued, LONGEST, passesLuhn, SHORTEST } from '#/card-issuers.ts'

/**
 * A card number in a text, from `start` to `end`, with the expiry and cvv that follow it. `places` has the positions of all its
 * digits. The last four digits of the number begin at the index `lastFour` of `places`.
 */
type FoundCard = { start: number; end: number; places: Uint32Array; lastFour: number }

const MOST_SEPARATORS = 3

/**
 * Finds every card number in a text, in time linear in its length. A run is a sequence of digits with at most three separators
 * between two digits. A card number has the first digits and a length of an issuer, and a valid Luhn check digit. It is a whole
 * run, without an expiry and cvv at the end. In a longer run it is one or more groups as cards print them. Telephone numbers and
 * Platter's identifiers are excluded.
 */
export function findCardNumbers(text: string): FoundCard[] {
  const found: FoundCard[] = []
  const run = new Run(text)
  let separators = 0
  for (let at = 0; at < text.length;) {
    const kind = kindAt(text, at)
    if (kind < SEPARATOR) {
      run.add(kind, at, separators > 0)
      separators = 0
    } else if (run.size > 0 && (kind === OTHER || ++separators > MOST_SEPARATORS)) {
      found.push(...run.takeCards())
      separators = 0
    }
    at += kind === SEPARATOR ? separatorWidth(text, at) : widthAt(text, at)
  }
  return [...found, ...run.takeCards()]
}

/** Masks each digit of a card number except the last four, and of its expiry and cvv, with `*`, a character of every printer. */
export function maskCardNumbers(text: string): string {
  let masked = ''
  let done = 0
  for (const { places, lastFour } of findCardNumbers(text))
    places.forEach((place, digit) => {
      if (digit >= lastFour && digit < lastFour + 4) return
      masked += `${text.slice(done, place)}*`
      done = place + widthAt(text, place)
    })
  return masked + text.slice(done)
}

// Characters ---------------------------------------------------------------------------------------------------

/** The kind of a character is its value for a digit; otherwise one of these constants. */
const SEPARATOR = 10
const OTHER = 11

/** Every space, dash, dot, slash and line break, and invisible characters: zero-width characters and combining marks. */
const IS_SEPARATOR =
  /[\s\p{Z}\p{Pd}\p{Cf}\p{M}./\\_|\u00B7\u2022\u2024\u2027\u2044\u2212\u2215\u30FB\uFF0E\uFF0F]/u
const IS_DIGIT = /\p{Nd}/u

/** The kind of each code point plus one; 0 for a code point that has not occurred yet. */
const KINDS = new Uint8Array(0x110000)

function kindAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  const known = KINDS[code] ?? 0
  if (known > 0) return known - 1
  const character = String.fromCodePoint(code)
  const kind = IS_DIGIT.test(character) ? digitOf(code) : IS_SEPARATOR.test(character) ? SEPARATOR : OTHER
  KINDS[code] = kind + 1
  return kind
}

/** Unicode 16.0, 4.6: decimal digits form sets of ten consecutive code points, and some sets are adjacent. */
function digitOf(code: number): number {
  let before = 0
  while (IS_DIGIT.test(String.fromCodePoint(code - before - 1))) before++
  return before % 10
}

const widthAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00 && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

/** JSON escapes a line break, so log lines contain the escape. It counts as one separator; its letters and digits are ignored. */
const ESCAPE = /\\(?:[nrtfb]|u[0-9a-fA-F]{4})/y

function separatorWidth(text: string, at: number): number {
  if (text[at] !== '\\') return widthAt(text, at)
  ESCAPE.lastIndex = at
  return ESCAPE.test(text) ? ESCAPE.lastIndex - at : 1
}

// Digits -------------------------------------------------------------------------------------------------------

/** The digits of a number are `from` to `to`; those of its expiry and cvv are `to` to `end`. */
type Span = { from: number; to: number; end: number }

/** Group lengths on a card, written as the digits of an integer: groups of four, or those of American Express and Diners Club. */
const PRINTED = new Set([444, 4441, 4442, 4443, 4444, 44441, 44442, 44443, 464, 465])
const MOST_GROUPS = 5

/** `0931`, `9/2031`, `314`, or both, in either order. */
const EXPIRY_OR_CVV =
  /^(?:(?:0?[1-9]|1[0-2])(?:20)?\d\d(?:\d{3,4})?|\d{3,4}(?:(?:0?[1-9]|1[0-2])(?:20)?\d\d)?)$/
const LONGEST_EXPIRY_AND_CVV = 10

/** Collects the digits of the current run. A group is a sequence of digits without a separator. */
class Run {
  size = 0
  readonly #text: string
  readonly #digits: Uint8Array
  /** The position of each digit in the text. */
  readonly #places: Uint32Array
  /** The index of the first digit of each group. */
  readonly #groups: number[] = []

  constructor(text: string) {
    this.#text = text
    this.#digits = new Uint8Array(text.length)
    this.#places = new Uint32Array(text.length)
  }

  add(digit: number, place: number, isApart: boolean): void {
    if (isApart || this.size === 0) this.#groups.push(this.size)
    this.#digits[this.size] = digit
    this.#places[this.size++] = place
  }

  /** Returns the card numbers of the run and starts the next one. */
  takeCards(): FoundCard[] {
    const spans = this.size < SHORTEST || this.#isTelephone() ? [] : this.#spans()
    const cards = spans.map((span) => this.#card(span))
    this.size = 0
    this.#groups.length = 0
    return cards.filter((card) => !isInIdentifier(this.#text, card))
  }

  #card({ from, to, end }: Span): FoundCard {
    const places = this.#places.slice(from, end)
    const last = places.at(-1) ?? 0
    return { start: places[0] ?? 0, end: last + widthAt(this.#text, last), places, lastFour: to - 4 - from }
  }

  #spans(): Span[] {
    const whole = this.#numberIn(0, this.size)
    if (whole) return [whole]
    const spans: Span[] = []
    for (let group = 0; group < this.#groups.length; group++) {
      const span = this.#numberIn(this.#begin(group), this.#begin(group + 1)) ?? this.#printedAt(group)
      if (!span) continue
      if (this.#isExpiryOrCvv(span.to, this.size)) span.end = this.size
      const before = spans.at(-1)
      if (before && span.from < before.end) join(before, span)
      else spans.push(span)
    }
    return spans
  }

  #begin(group: number): number {
    return this.#groups[group] ?? this.size
  }

  /**
   * Returns the longest card number in these digits, with or without expiry and cvv at the end. The longest number masks the most
   * digits.
   */
  #numberIn(from: number, end: number): Span | null {
    const shortest = Math.max(from + SHORTEST, end - LONGEST_EXPIRY_AND_CVV)
    for (let to = Math.min(from + LONGEST, end); to >= shortest; to--)
      if (this.#isCard(from, to) && (to === end || this.#isExpiryOrCvv(to, end))) return { from, to, end }
    return null
  }

  /** Returns the longest card number in printed groups that begins with this group. */
  #printedAt(group: number): Span | null {
    const from = this.#begin(group)
    let lengths = 0
    let longest: Span | null = null
    for (let next = group; next < group + MOST_GROUPS; next++) {
      const length = this.#begin(next + 1) - this.#begin(next)
      if (length === 0 || length > 6) break
      lengths = lengths * 10 + length
      const to = this.#begin(next + 1)
      if (PRINTED.has(lengths) && this.#isCard(from, to)) longest = { from, to, end: to }
    }
    return longest
  }

  #isCard(from: number, to: number): boolean {
    const digits = this.#digits
    let four = 0
    for (let place = from; place < from + 4; place++) four = four * 10 + (digits[place] ?? 0)
    return isIssued(four, to - from) && passesLuhn(digits, from, to)
  }

  #isExpiryOrCvv(from: number, end: number): boolean {
    return (
      end - from <= LONGEST_EXPIRY_AND_CVV && EXPIRY_OR_CVV.test(this.#digits.subarray(from, end).join(''))
    )
  }

  #isTelephone(): boolean {
    const start = this.#places[0] ?? 0
    const before = this.#text.slice(Math.max(0, start - LONGEST_INTERNATIONAL), start)
    if (this.size <= MOST_DIGITS && INTERNATIONAL.test(before)) return true
    // In many countries 00 is the prefix of international calls.
    const isDialled = this.#digits[0] === 0 && this.#digits[1] === 0 && this.size <= MOST_DIGITS + 2
    return isDialled || this.#isNorthAmerican()
  }

  /** Returns whether the run contains only telephone numbers in groups of 3, 3 and 4 digits, with or without the country code 1. */
  #isNorthAmerican(): boolean {
    // The expected next group: 0 country code or area code, 1 area code, 2 exchange, 3 line.
    let next = 0
    for (let group = 0; group < this.#groups.length; group++) {
      const length = this.#begin(group + 1) - this.#begin(group)
      if (next === 0 && length === 1) next = 1
      else if (length !== (next === 3 ? 4 : 3)) return false
      else next = next === 3 ? 0 : Math.max(next, 1) + 1
    }
    return next === 0
  }
}

/** Merges overlapping spans. One of two may pass the Luhn check by chance and would leave a digit of the other unmasked. */
function join(span: Span, next: Span): void {
  span.to = Math.max(span.to, next.to)
  span.end = Math.max(span.end, next.end)
}

// Digits outside of card numbers -------------------------------------------------------------------------------

/** The beginning of an international telephone number: `+`, or its country code with digits in brackets. */
const INTERNATIONAL = /[+＋]$|(?:[+＋]|(?<!\d)00)\d{1,3}[^\d\p{L}]{0,3}\(\d{1,5}\)[^\d\p{L}]{0,3}$/u
const LONGEST_INTERNATIONAL = 20
/** ITU-T E.164, 6.1. */
const MOST_DIGITS = 15

/** An apiKey, trace id, span id or UUID. It must contain a letter, because digits alone may be a card number. */
const IDENTIFIER =
  /^(?=.*[a-f])(?:[0-9a-f]{48}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const LONGEST_IDENTIFIER = 48
const OF_WORD = /[0-9A-Za-z]/

/** Excludes Platter's identifiers, whose digits may pass the Luhn check by chance. */
function isInIdentifier(text: string, { start, end }: { start: number; end: number }): boolean {
  let first = start
  let last = end
  while (last - first <= LONGEST_IDENTIFIER && isOfIdentifier(text.charCodeAt(first - 1))) first--
  while (last - first <= LONGEST_IDENTIFIER && isOfIdentifier(text.charCodeAt(last))) last++
  if (last - first === end - start || last - first > LONGEST_IDENTIFIER) return false
  const isWord = OF_WORD.test(text[first - 1] ?? '') || OF_WORD.test(text[last] ?? '')
  return !isWord && IDENTIFIER.test(text.slice(first, last))
}

/** `0` to `9`, `a` to `f`, and the dashes of a UUID. */
const isOfIdentifier = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66) || unit === 0x2d
