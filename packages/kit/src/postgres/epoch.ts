import { sql, type RawBuilder } from 'kysely'

/** The name of a column, or an expression. */
type Time = string | RawBuilder<unknown>

// eslint-disable-next-line no-restricted-properties -- callers name columns of their schema
const expressionOf = (time: Time) => (typeof time === 'string' ? sql.ref(time) : time)

/** Selects a time in epoch seconds, rounded down. A cast rounds to the nearest second, which may be in the future. */
export const epochOf = (time: Time) => sql`floor(extract(epoch from ${expressionOf(time)}))::int8`

/** Selects a time in microseconds since 1970, PostgreSQL's resolution. */
export const microsecondsOf = (time: Time) => sql`(extract(epoch from ${expressionOf(time)}) * 1000000)::int8`

/** Converts microseconds since 1970 to a time. */
export const momentOf = (microseconds: number) =>
  sql`timestamptz 'epoch' + ${microseconds}::int8 * interval '1 microsecond'`
