import { sql, type RawBuilder } from 'kysely'

/**
 * Selects a time, of a column or an expression, in epoch seconds, rounded down. A cast rounds to the nearest second, which may be in
 * the future.
 */
export const epochOf = (time: string | RawBuilder<unknown>) =>
  // eslint-disable-next-line no-restricted-properties -- callers name columns of their schema
  sql`floor(extract(epoch from ${typeof time === 'string' ? sql.ref(time) : time}))::int8`

/** Converts microseconds since 1970 to a time. */
export const momentOf = (microseconds: number) =>
  sql`timestamptz 'epoch' + ${microseconds}::int8 * interval '1 microsecond'`
