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
try {
  await until(() => isPostgresReady(url), { what: 'Waiting for PostgreSQL', withinMs, everyMs: 250 })
} catch (error) {
  // A sentence for the operator, who has changed a password or a URL; a stack trace would hide it.
  console.error(`PostgreSQL cannot be used, so nothing was changed: ${(error as Error).message}`)
  process.exit(1)
}
const { fresh } = await prepareDatabase(url, databaseServices, passwords)
console.log(`Roles and schemas ${fresh ? 'created' : 'exist already'}: ${databaseServices.join(', ')}`)
