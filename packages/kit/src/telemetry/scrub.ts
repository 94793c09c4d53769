import { escapeUnprintableInJson, findCardNumbers } from '@platter/contracts'

/*
 * The last check of a log line before it is written. The fields of log.ts decide what may be logged; this finds secrets inside a text:
 * a value that a library quotes in its error, a URL.
 */

/** Ours: the whole of an access key (its first four characters may be shown), Stripe's keys and signing secrets. */
const KEY = /((?:platter|\b[rs]k)_(?:live|test)_|\bwhsec_)[\w+/=-]{5,}/g
const KEY_IN_URL = /(access(?:-|%2d)token(?:=|%3d))[^&\s"'\\#]*/gi
const MASK = '[masked]'

/**
 * A line without card numbers and access keys, wherever in it they are, and without what a terminal that shows it would
 * obey. It stays well-formed JSON.
 */
export const scrub = (line: string): string =>
  // Escaped last: an escape sequence between two digits would hide a card number from the search.
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

/** A JSON number, or what looks like one in a text: JSON stays JSON. */
const isBare = (line: string, start: number, end: number): boolean =>
  /[[:,.-]/.test(line[start - 1] ?? '') && /[,}\].eE]/.test(line[end] ?? '')
