import type { ServiceHealth } from '@platter/contracts'
import { sql } from 'kysely'
import { missingIndexes, type ConcurrentIndex } from '#/postgres/concurrent-indexes.ts'
import { epochOf } from '#/postgres/epoch.ts'
import type { Db } from '#/postgres/postgres.ts'

/**
 * Reads the clock of the database, the newest migration of the service's schema, and the names of the `indexes` that are not built
 * yet.
 */
export async function readDatabaseHealth(
  db: Db,
  indexes: readonly Pick<ConcurrentIndex, 'name'>[] = [],
): Promise<NonNullable<ServiceHealth['database']>> {
  const { rows } = await sql<{ at: number; migration: string }>`
    select ${epochOf(sql`clock_timestamp()`)} as at, max(name) as migration from kysely_migration`.execute(db)
  if (!rows[0]) throw new Error('PostgreSQL returned no row')
  return { ...rows[0], missingIndexes: await missingIndexes(db, indexes) }
}
