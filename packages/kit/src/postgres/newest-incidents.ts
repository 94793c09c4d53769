import { MOST_INCIDENTS } from '@platter/contracts'
import { sql } from 'kysely'

/** The end of the statement of an incident source: its rows by `at`, the newest first, as many as an operator can handle. */
export const newestIncidents = sql`order by at desc limit ${MOST_INCIDENTS}`
