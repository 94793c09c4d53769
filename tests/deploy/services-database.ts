import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { prepareDatabase } from '../../dev/servers/database.ts'

const log = createLog('test', 'silent')

/** A database with the schemas of services, created by `prepare` and their migrations. */
export type ServicesDatabase = {
  /** The URL of a superuser. */
  url: string
  /** Returns the name of the role and of the schema of a service. */
  role: (service: string) => string
  /** Connects with the role of a service. `close` ends the connection. */
  connect: (service: string, max?: number) => Postgres
  close: () => Promise<void>
}

/**
 * Creates the database. Roles belong to the entire server, which other tests prepare as well. Each role has a suffix here, and the
 * services do not depend on the names.
 */
export async function servicesDatabase(services: readonly string[]): Promise<ServicesDatabase> {
  const url = await newDatabase()
  const suffix = randomBytes(4).toString('hex')
  const role = (service: string) => `${service}_${suffix}`
  const { urls } = await prepareDatabase(url, services.map(role))
  const open: Postgres[] = []
  const connect = (service: string, max = 2): Postgres => {
    const postgres = connectPostgres(urls[role(service)] ?? '', max, log)
    open.push(postgres)
    return postgres
  }
  for (const service of services) {
    const migrations = fileURLToPath(new URL(`../../services/${service}/migrations`, import.meta.url))
    const owner = connect(service)
    await owner.checkRole()
    await migrate(owner.db, migrations, log)
  }
  return { url, role, connect, close: async () => void (await Promise.all(open.map((one) => one.close()))) }
}
