/**
 * The one-off job `prepare` of docker-compose.yml: creates the roles and schemas of the services.
 */
import { until } from '../process/wait.ts'
import { isPostgresReady } from '../servers/readiness.ts'
import { prepareDatabase } from '../servers/database.ts'
import { databaseServices } from '../stack/services.ts'
import { variable } from './environment.ts'

/** Includes the first start of PostgreSQL, or its recovery after a crash. */
const withinMs = 180_000

const url = variable('DATABASE_URL')
const passwords = Object.fromEntries(
  databaseServices.map((name) => [name, variable(`${name.toUpperCase()}_PASSWORD`)]),
)
await until(() => isPostgresReady(url), { what: 'Waiting for PostgreSQL', withinMs, everyMs: 250 })
const { fresh } = await prepareDatabase(url, databaseServices, passwords)
console.log(`Roles and schemas ${fresh ? 'created' : 'exist already'}: ${databaseServices.join(', ')}`)
