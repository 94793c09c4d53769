import { join } from 'node:path'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { createLog } from '@platter/kit/telemetry/log'
import { afterAll } from 'vitest'
import { newDatabase } from '#/database.ts'

const SERVICES = join(import.meta.dirname, '../../../services')
const log = createLog('test', 'fatal')

/** A pool of connections to a test database, and its URL for further pools. */
export type MigratedDatabase = Postgres & { url: string }

/**
 * Creates a database with the tables of a service for the tests of a file, and a pool of at most `max` connections. The pool is closed
 * after the last test.
 */
export async function migratedDatabase(
  service: string,
  max = 10,
  options?: Parameters<typeof connectPostgres>[3],
): Promise<MigratedDatabase> {
  const url = await newDatabase()
  const postgres = connectPostgres(url, max, log, options)
  afterAll(() => postgres.close())
  await migrate(postgres.db, join(SERVICES, service, 'migrations'), log)
  return { ...postgres, url }
}
