import type { ServiceHealth } from '@platter/contracts'
import { sql, type Kysely } from 'kysely'

/** The clock of the database, and the newest migration of the service's schema. */
export async function readDatabaseHealth<DB>(
  db: Kysely<DB>,
): Promise<NonNullable<ServiceHealth['database']>> {
  const { rows } = await sql<{ at: number; migration: string }>`
    select floor(extract(epoch from clock_timestamp()))::int8 as at, max(name) as migration from kysely_migration`.execute(
    db,
  )
  if (!rows[0]) throw new Error('PostgreSQL returned no row')
  return rows[0]
}
