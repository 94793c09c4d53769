/** The first syntax error of a JSON text. Line and column count from 1. */
type JsonFault = { line: number; column: number; what: string }

/** `at`: an offset; null if JSON.parse does not report it. */
type Reported = { what: string; at: number | null }

/**
 * "Expected ',' or '}' after property value in JSON at position 9 (line 1 column 10)". These messages quote nothing of the text. The
 * others end with a quotation, which may itself contain "at position 9". After an upgrade of Node run `json-fault.unit.test.ts`: it
 * fails if a message has changed. Such a message becomes "Unexpected character".
 */
const PLACED = /^([^"]+?)(?: in JSON)? at position (\d+) \(line \d+ column \d+\)$/
const INCOMPLETE = 'Unexpected end of JSON input'

/** Returns the error of JSON.parse without the characters of the text that it may quote, because they may be a card number. */
function reported(text: string): Reported | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const { message } = error as SyntaxError
    const [, what, at] = PLACED.exec(message) ?? []
    if (what !== undefined) return { what, at: Number(at) }
    if (message === INCOMPLETE) return { what: INCOMPLETE, at: text.length }
    return { what: 'Unexpected character', at: null }
  }
}

/** Returns the first syntax error of a text; null for valid JSON. */
export function jsonFault(text: string): JsonFault | null {
  const fault = reported(text)
  if (!fault) return null
  const before = text.slice(0, fault.at ?? longestStart(text)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, what: fault.what }
}

/** Returns the length of the longest beginning of a JSON text. A binary search: it takes 2 to 10 ms for 64 KiB. */
function longestStart(text: string): number {
  let least = 0
  let most = text.length
  while (least < most) {
    const length = Math.ceil((least + most) / 2)
    const fault = reported(text.slice(0, length))
    // A text that ends too early has its fault at its end.
    if (!fault || fault.at === length) least = length
    else most = length - 1
  }
  return least
}
