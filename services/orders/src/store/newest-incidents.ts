import { MOST_INCIDENTS } from '@platter/contracts'
import { sql } from 'kysely'

/* Common parts of the statements of all incident sources. */

// eslint-disable-next-line no-restricted-properties -- callers name columns of this schema
export const microseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::int8`

export const newest = sql`order by at desc limit ${MOST_INCIDENTS}`
