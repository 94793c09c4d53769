import type { Kysely } from 'kysely'

/** A connection to the tables of migrations/, or a transaction. Stores use statements in SQL, which declare their rows. */
export type Db = Kysely<unknown>
