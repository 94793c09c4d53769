import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, freePortFrom } from '../process/ports.ts'
import type { Reporter } from '../progress.ts'
import { seed, type SeedResult } from '../seed/seed.ts'
import { createDatabase, dropDatabase, prepareDatabase, type PreparedDatabase } from '../servers/database.ts'
import type { Servers } from '../servers/find.ts'
import type { Server } from '../servers/types.ts'
import { assignPorts } from './processes.ts'
import type { Secrets } from './secrets.ts'
import { databaseServices, firstUrl, type Wiring } from './services.ts'

/** A database with the roles and schemas of the services. */
type OpenedDatabase = PreparedDatabase & {
  readonly superuserUrl: string
}

/**
 * Prepares the database. A fresh start on a server from the environment creates a new database there and drops it at the end,
 * because the configured one may contain other data.
 */
export async function openDatabase(
  server: Server,
  { rolePasswords }: Secrets,
  fresh: boolean,
  cleanup: AsyncDisposableStack,
): Promise<OpenedDatabase> {
  let superuserUrl = server.url
  if (fresh && server.origin === 'given') {
    const name = `platter_${randomBytes(4).toString('hex')}`
    superuserUrl = await createDatabase(server.url, name)
    cleanup.defer(() => dropDatabase(server.url, name))
  }
  return { superuserUrl, ...(await prepareDatabase(superuserUrl, databaseServices, rolePasswords)) }
}

/** The parts of a wiring. */
type Ingredients = {
  readonly directory: string
  readonly secrets: Secrets
  readonly servers: Servers
  readonly database: PreparedDatabase
}

type Planned = { replicas: number; port?: number; https?: boolean; reporter: Reporter }

/** Assigns the ports of every process, and sets the addresses of the other processes. */
export async function planWiring(
  { directory, secrets, servers, database }: Ingredients,
  { replicas, port, https = false, reporter }: Planned,
): Promise<Wiring> {
  const gateway = port === undefined ? await freePort() : await freePortFrom(port)
  if (port !== undefined && gateway !== port)
    reporter.print(`Port ${port} is in use; the gateway uses ${gateway}`)
  const { simulatorsPort } = secrets
  const simulators = simulatorsPort === null ? await freePort() : await freePortFrom(simulatorsPort)
  return {
    secrets,
    databases: database.urls,
    amqp: (service) => servers.rabbitmq.urls?.[service] ?? servers.rabbitmq.url,
    redis: servers.redis.url,
    ports: await assignPorts(replicas, { gateway, simulators }),
    https,
    ledger: existingFile(directory, 'ledger.jsonl'),
    receipts: existingFile(directory, 'receipts.jsonl'),
  }
}

/** Seeds through the gateway, unless the data of the last start still exist. */
export function fill(
  wiring: Wiring,
  { operatorKey, seed: previous }: Secrets,
  reporter: Reporter,
): Promise<SeedResult> {
  return reporter.step('Restaurants and keys for development', (step) =>
    seed({
      gateway: firstUrl('gateway', wiring),
      simulators: firstUrl('simulators', wiring),
      operatorKey,
      previous,
      log: step.now,
    }),
  )
}

// Tools may read the file before its first line is written.
function existingFile(directory: string, name: string): string {
  const file = join(directory, name)
  closeSync(openSync(file, 'a'))
  return file
}
