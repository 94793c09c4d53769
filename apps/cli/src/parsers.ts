import { epochSeconds } from '@platter/contracts'
import { InvalidArgumentError } from 'commander'
import { EXIT, Failure } from '#/exit.ts'

/* The parsers of options. */

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Parses a time: 24h, 7d, 2026-11-20, 2026-11-20T08:00:00Z, or epoch seconds. Returns epoch seconds. */
export function since(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return Math.max(0, epochSeconds() - Number(count) * (SECONDS[unit] ?? 1))
  if (/^\d{1,10}$/.test(text)) return Number(text)
  // A date is a day of the operator's time zone, in which the commands print. Date.parse would take it as a day of UTC.
  const time = text.length === 10 ? `${text}T00:00` : text
  const date = hasDay(text) ? Date.parse(time) : Number.NaN
  if (!Number.isNaN(date)) return epochSeconds(date)
  throw new InvalidArgumentError('it must be a time such as 24h, 7d, 2026-11-20 or Unix seconds.')
}

/** Rejects a period whose end is not after its beginning, as with `--from 1h --to 2h`: both count back from now. */
export function requirePeriod([from, to]: [string, string], start = -Infinity, end = Infinity): void {
  if (start >= end)
    throw new Failure(
      EXIT.usage,
      `${from} must be before ${to}. A time such as 2h counts back: 2h is before 1h.`,
    )
}

/** Returns whether a text begins with a day of the calendar. Date.parse takes February 30 as March 2. */
function hasDay(text: string): boolean {
  const [day = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/** Removes the number sign, with which the console shows the number of an order. */
export const withoutNumberSign = (text: string): string => text.replace(/^#/, '')

/** Returns a parser of an API's value in any case, with - or _: `delivered`, `missing-item`. */
export const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T => {
    const name = text.toUpperCase().replaceAll('-', '_')
    const value = values.find((one) => one === name)
    if (value !== undefined) return value
    throw new InvalidArgumentError(`it must be one of ${values.join(', ')}.`)
  }

/** Returns a parser of whole numbers. */
export const whole =
  (from: number, to: number) =>
  (text: string): number => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= from && Number(text) <= to) return Number(text)
    throw new InvalidArgumentError(`it must be a whole number from ${from} to ${to}.`)
  }
