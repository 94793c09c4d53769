import { findCardNumbers } from '@platter/contracts'
import { Problem } from '@platter/kit'

/** ASCII separators between digits. */
const SEPARATORS = /[ \t\r\n./_|-]+/g
/**
 * The digits of the shortest card number, an escape, or a byte of another script, whose digits and separators are not ASCII. A name
 * with an accent also causes the thorough search. The look-behind begins once in each run of digits: 64 KiB of short runs take 0.5 ms
 * instead of 1.7.
 */
const SUSPICIOUS = /(?<!\d)\d{12}|[\\\u0080-\u00FF]/

/** Throws Problem raw-card-not-accepted for a body with a card number. The Problem contains nothing of the body. */
export function refuseRawCards(body: unknown): void {
  if (Buffer.isBuffer(body) && holdsCardNumber(body))
    throw new Problem(
      'raw-card-not-accepted',
      'The request contains a card number, or digits that look like one, and was not forwarded. Send a processorToken instead.',
    )
}

/**
 * Returns whether a body contains a card number, in any member and spelling that a service would accept. Two passes over the bytes
 * decide almost every body: an order of 550 bytes took 2.5 µs, a body of 64 KiB at most 0.6 ms.
 */
export function holdsCardNumber(body: Buffer): boolean {
  const unseparated = body.toString('latin1').replaceAll(SEPARATORS, '')
  return SUSPICIOUS.test(unseparated) && isFoundIn(body.toString('utf8'))
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
