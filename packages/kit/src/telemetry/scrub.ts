import { escapeUnprintableInJson, findCardNumbers } from '@platter/contracts'

/*
 * The last check of a log line before it is written. log.ts restricts the fields. This file finds secrets within a text, such as a
 * URL or a value that a library quotes in an error.
 */

/** Access keys of Platter (a prefix of four characters may be shown), Stripe's keys, and signing secrets. */
const KEY = /((?:platter|\b[rs]k)_(?:live|test)_|\bwhsec_)[\w+/=-]{5,}/g
const KEY_IN_URL = /(access(?:-|%2d)token(?:=|%3d))[^&\s"'\\#]*/gi
const MASK = '[masked]'

/** Returns the line without card numbers, access keys and terminal control sequences. The result is well-formed JSON. */
export const scrub = (line: string): string =>
  // Control characters are escaped last: an escape sequence between two digits would hide a card number from the search.
  escapeUnprintableInJson(
    withoutCardNumbers(line.replaceAll(KEY_IN_URL, `$1${MASK}`).replaceAll(KEY, `$1${MASK}`)),
  )

function withoutCardNumbers(line: string): string {
  let scrubbed = ''
  let done = 0
  for (const { start, end } of findCardNumbers(line)) {
    scrubbed += line.slice(done, start) + (isBare(line, start, end) ? '0' : MASK)
    done = end
  }
  return scrubbed + line.slice(done)
}

/** Returns whether the digits are a JSON number, or look like one in a text. A mask would make the JSON invalid. */
const isBare = (line: string, start: number, end: number): boolean =>
  /[[:,.-]/.test(line[start - 1] ?? '') && /[,}\].eE]/.test(line[end] ?? '')
