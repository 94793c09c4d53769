import { findCardNumbers } from '@platter/contracts'
import { Problem } from '@platter/kit'

/** The digits of the shortest card number. */
const SHORTEST = 12
const BACKSLASH = 0x5c

/** The kind of a byte in the search: a digit, a separator between digits, the start of an escape, or any other byte. */
const DIGIT = 1
const SEPARATOR = 2
const SUSPICIOUS = 3
const KINDS = new Uint8Array(256)
KINDS.fill(DIGIT, 0x30, 0x3a)
for (const separator of ' \t\r\n./_|-') KINDS[separator.charCodeAt(0)] = SEPARATOR
KINDS[BACKSLASH] = SUSPICIOUS
// Digits and separators of other scripts are not ASCII. A name with an accent also causes the thorough search.
KINDS.fill(SUSPICIOUS, 0x80)

/** Throws Problem raw-card-not-accepted for a body with a card number. The Problem contains nothing of the body. */
export function refuseRawCards(body: unknown): void {
  if (Buffer.isBuffer(body) && holdsCardNumber(body))
    throw new Problem(
      'raw-card-not-accepted',
      'The request contains a card number, or digits that look like one, and was not forwarded. Send a processorToken instead.',
    )
}

/**
 * Returns whether a body contains a card number, in any member and spelling that a service would accept. One pass over the bytes
 * decides almost every body. Only 12 digits (separators between them do not count), an escape or another script lead to the thorough
 * search. An order of 580 bytes took 1.7 µs, a body of 64 KiB 0.4 ms.
 */
export function holdsCardNumber(body: Buffer): boolean {
  return mayHoldCardNumber(body) && isFoundIn(body.toString('utf8'))
}

function mayHoldCardNumber(body: Buffer): boolean {
  let digits = 0
  for (let at = 0; at < body.length; at++) {
    switch (KINDS[body[at] ?? 0]) {
      case DIGIT:
        if (++digits === SHORTEST) return true
        break
      case SEPARATOR:
        break
      case SUSPICIOUS:
        return true
      default:
        digits = 0
    }
  }
  return false
}

function isFoundIn(text: string): boolean {
  try {
    JSON.parse(text)
  } catch {
    // The service rejects invalid JSON, but must not receive a card number in it.
    return findCardNumbers(text).length > 0
  }
  return isFoundInJson(text) || hasLongNumber(text)
}

/** JSON.parse rounds an integer of more than 15 digits, which would hide the card number. */
const LONG_NUMBER = /(?:^|[[:,\s])(\d{12,19})(?=$|[\],}\s.eE])/g
const hasLongNumber = (text: string): boolean =>
  [...text.matchAll(LONG_NUMBER)].some(([, digits = '']) => findCardNumbers(digits).length > 0)

/** A coordinate has as many digits as a card number, and its decimal point would count as a separator. */
const DECIMAL = /^\s*-?\d{1,3}\.\d+\s*$/

/** The strings and numbers of a JSON text. The closing quote is optional, so that the search is linear in any text. */
const SCALAR = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\d[\d.eE+-]*/g

/** Reads the text instead of the parsed document, because JSON.parse drops all but the last value of a repeated member. */
const isFoundInJson = (text: string): boolean =>
  (text.match(SCALAR) ?? []).some((scalar) => {
    const value: unknown = JSON.parse(scalar)
    if (typeof value === 'string') return !DECIMAL.test(value) && findCardNumbers(value).length > 0
    return Number.isSafeInteger(value) && findCardNumbers(String(value)).length > 0
  })
