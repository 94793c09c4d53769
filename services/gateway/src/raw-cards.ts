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
      'Card numbers are not accepted here, and the request was not forwarded. Send a processorToken instead.',
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
    return isFound(JSON.parse(text)) || hasLongNumber(text)
  } catch {
    // The service rejects invalid JSON, but must not receive a card number in it.
    return findCardNumbers(text).length > 0
  }
}

/** JSON.parse rounds an integer of more than 15 digits, which would hide the card number. */
const LONG_NUMBER = /(?:^|[[:,\s])(\d{12,19})(?=$|[\],}\s.eE])/g
const hasLongNumber = (text: string): boolean =>
  [...text.matchAll(LONG_NUMBER)].some(([, digits = '']) => findCardNumbers(digits).length > 0)

/** A coordinate has as many digits as a card number, and its decimal point would count as a separator. */
const DECIMAL = /^\s*-?\d{1,3}\.\d+\s*$/

/** Iterative, because a body may be nested more deeply than the stack. */
function isFound(document: unknown): boolean {
  const rest = [document]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (!DECIMAL.test(value) && findCardNumbers(value).length > 0) return true
    } else if (typeof value === 'number') {
      if (Number.isSafeInteger(value) && findCardNumbers(String(value)).length > 0) return true
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) rest.push(name, member)
    }
  }
  return false
}
