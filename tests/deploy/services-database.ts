import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { prepareDatabase } from '../../dev/servers/database.ts'

const log = createLog('test', 'silent')

export type ServicesDatabase = Awaited<ReturnType<typeof servicesDatabase>>

/**
 * Creates a database with the schemas of services, by `prepare` and their migrations. Roles belong to the entire server, which other
 * tests prepare as well. Each role has a suffix here, and the services do not depend on the names. `url` is that of a superuser.
 */
export async function servicesDatabase(services: readonly string[]) {
  const url = await newDatabase()
  const suffix = randomBytes(4).toString('hex')
  /** Returns the name of the role and of the schema of a service. */
  const role = (service: string) => `${service}_${suffix}`
  const { urls } = await prepareDatabase(url, services.map(role))
  const open: Postgres[] = []
  /** Connects with the role of a service. `close` ends the connection. */
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
