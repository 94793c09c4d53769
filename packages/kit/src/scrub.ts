import { cardNumbersIn, escapeUnprintableInJson, LONG_NUMBER } from '@platter/contracts'

/*
 * The last look at a log line before it is written. What may be logged is decided elsewhere (the fields of log.ts);
 * this is for what got into a text all the same: a value that a library quotes in its error, a URL.
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
  escapeUnprintableInJson(line)
    .replaceAll(KEY_IN_URL, `$1${MASK}`)
    .replaceAll(KEY, `$1${MASK}`)
    .replaceAll(LONG_NUMBER, (run, at: number, whole: string) =>
      isPartOfId(whole, at, run) || !hasCard(run) ? run : isBare(whole, at, run) ? '0' : MASK,
    )

const OF_ID = /[0-9a-f-]/
/** An apiKey, a trace, a span, a UUID; with a letter, or it could be anything. */
const ID =
  /^(?=.*[a-f])(?:[0-9a-f]{48}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The digits of one of our identifiers pass the Luhn check by chance. */
function isPartOfId(line: string, at: number, run: string): boolean {
  let start = at
  let end = at + run.length
  while (start > 0 && OF_ID.test(line[start - 1] ?? '')) start--
  while (end < line.length && OF_ID.test(line[end] ?? '')) end++
  return ID.test(line.slice(start, end))
}

/** A JSON number, or what looks like one in a text: JSON stays JSON. */
const isBare = (line: string, at: number, run: string): boolean =>
  /[[:,.-]/.test(line[at - 1] ?? '') && /[,}\].eE]/.test(line[at + run.length] ?? '')

const hasCard = (run: string): boolean => cardNumbersIn(run.replaceAll(/\D/g, '')).length > 0
