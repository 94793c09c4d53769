import { sql } from 'kysely'

/** Selects a time in epoch seconds, rounded down. A cast rounds to the nearest second, which may be in the future. */
export const epochOf = (column: string) =>
  // eslint-disable-next-line no-restricted-properties -- callers name columns of their schema
  sql`floor(extract(epoch from ${sql.ref(column)}))::int8`

/** Converts microseconds since 1970 to a time. */
export const momentOf = (microseconds: number) =>
  sql`timestamptz 'epoch' + ${microseconds}::int8 * interval '1 microsecond'`
