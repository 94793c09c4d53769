/**
 * The one-off job `prepare` of docker-compose.yml: the services' roles and schemas.
 */
import { until } from '../process/wait.ts'
import { answersPostgres } from '../servers/answers.ts'
import { prepareDatabase } from '../servers/database.ts'
import { databaseServices } from '../stack/services.ts'
import { variable } from './environment.ts'

/** A server that recovers from a crash, or that makes its data folder for the first time, gets this long. */
const withinMs = 180_000

const url = variable('DATABASE_URL')
const passwords = Object.fromEntries(
  databaseServices.map((name) => [name, variable(`${name.toUpperCase()}_PASSWORD`)]),
)
await until(() => answersPostgres(url), { what: 'Waiting for PostgreSQL', withinMs, everyMs: 250 })
const { fresh } = await prepareDatabase(url, databaseServices, passwords)
console.log(`Roles and schemas ${fresh ? 'made' : 'were there already'}: ${databaseServices.join(', ')}`)
