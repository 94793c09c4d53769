import { join } from 'node:path'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { createLog } from '@platter/kit/telemetry/log'
import { afterAll } from 'vitest'
import { newDatabase } from '#/database.ts'

const SERVICES = join(import.meta.dirname, '../../../services')
const log = createLog('test', 'fatal')

/**
 * Creates a database with the tables of a service for the tests of a file, and a pool of at most `max` connections. The pool is closed
 * after the last test. `url` is for further pools.
 */
export async function migratedDatabase(
  service: string,
  max = 10,
  options?: Parameters<typeof connectPostgres>[3],
) {
  const url = await newDatabase()
  const postgres = connectPostgres(url, max, log, options)
  afterAll(() => postgres.close())
  await migrate(postgres.db, join(SERVICES, service, 'migrations'), log)
  return { ...postgres, url }
}
