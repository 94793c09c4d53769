import {
  decideServers,
  isServerChoice,
  keepChoice,
  loadKeptChoice,
  serverChoices,
  type ServerChoice,
} from './choice.ts'
import { findDocker } from './compose-command.ts'
import { startContainersOfRun } from './containers-of-run.ts'
import { given } from './given.ts'
import { startKeptContainers } from './kept-containers.ts'
import { startPostgres } from './postgres.ts'
import { ensurePrograms } from './programs.ts'
import { startRabbitmq } from './rabbitmq.ts'
import { startRedis } from './redis.ts'
import {
  NoEngine,
  serverKinds,
  type Server,
  type ServerContext,
  type ServerKind,
  type ServerSource,
} from './types.ts'

/** The three servers, by kind. */
export type Servers = Readonly<Record<ServerKind, Server>>

/** Servers as child processes, with their data below the run directory. PostgreSQL needs no installation. */
const native: ServerSource = async (wanted, context) => {
  const installed = ensurePrograms(wanted, context)
  const start: Readonly<Record<ServerKind, () => Promise<Server>>> = {
    postgres: () => startPostgres(context),
    rabbitmq: () => installed.then(() => startRabbitmq(context)),
    redis: () => installed.then(() => startRedis(context)),
  }
  const [, ...servers] = await Promise.all([installed, ...wanted.map((kind) => start[kind]())])
  return servers
}

/** Servers in containers. A fresh run has its own containers, which always end with it. */
const docker: ServerSource = (wanted, context) =>
  context.fresh === true ? startContainersOfRun(wanted, context) : startKeptContainers(wanted, context)

/** Like `docker` if Docker works. Otherwise it reports the reason and supplies no server. */
const dockerIfAvailable: ServerSource = async (wanted, context) => {
  try {
    return await docker(wanted, context)
  } catch (error) {
    context.signal?.throwIfAborted()
    if (!(error instanceof NoEngine))
      context.reporter.print(
        `Docker cannot be used (${lastLine(error)}); the servers run as processes instead`,
      )
    return []
  }
}

/** The last line of a failed program's output has the reason. */
function lastLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n')
  return lines.at(-1)?.trim().slice(0, 200) ?? ''
}

/** The sources of servers without a URL. */
const sourcesOf: Readonly<Record<ServerChoice, readonly ServerSource[]>> = {
  native: [native],
  docker: [docker],
  auto: [dockerIfAvailable, native],
}

/**
 * Finds or starts the servers. If it throws, some may run: the caller closes the host and kills its children, or ends the process.
 */
export async function findServers(
  context: ServerContext,
  wanted: readonly ServerKind[] = serverKinds,
): Promise<Servers> {
  const requested = process.env['PLATTER_SERVERS'] || 'auto'
  if (!isServerChoice(requested))
    throw new Error(`PLATTER_SERVERS is one of ${serverChoices.join(', ')}, not "${requested}"`)
  const found: Partial<Record<ServerKind, Server>> = {}
  const missing = () => wanted.filter((kind) => found[kind] === undefined)
  const findIn = async (source: ServerSource) => {
    if (missing().length === 0) return
    for (const server of await source(missing(), context)) found[server.kind] = server
  }
  await findIn(given)
  if (found.postgres === undefined) ignoreClientSettings()
  if (missing().length === 0) return found as Servers
  const choice = context.fresh === true ? requested : await choiceOf(requested, context)
  for (const source of sourcesOf[choice]) await findIn(source)
  if (context.fresh !== true) keepChoice(context.directory, Object.values(found))
  return found as Servers
}

/**
 * A developer's PGSSLMODE and PGOPTIONS are for another database, and every client would apply them to this one: it has no TLS, and
 * its roles have their settings.
 */
function ignoreClientSettings(): void {
  for (const name of ['PGSSLMODE', 'PGOPTIONS']) delete process.env[name]
}

async function choiceOf(
  requested: ServerChoice,
  { directory, reporter }: ServerContext,
): Promise<ServerChoice> {
  const { choice, notice } = await decideServers(requested, loadKeptChoice(directory), isDockerAvailable)
  if (notice !== null) reporter.print(notice)
  return choice
}

async function isDockerAvailable(): Promise<boolean> {
  try {
    await findDocker()
    return true
  } catch {
    // No engine, or no Compose.
    return false
  }
}
