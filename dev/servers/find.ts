import {
  decideServers,
  isServerChoice,
  keepChoice,
  loadKeptChoice,
  serverChoices,
  type ServerChoice,
} from './choice.ts'
import { findDocker } from './compose-command.ts'
import { docker, dockerIfAvailable } from './docker.ts'
import { given } from './given.ts'
import { native } from './native.ts'
import { serverKinds, type Server, type ServerContext, type ServerKind, type ServerSource } from './types.ts'

/** The three servers, by kind. */
export type Servers = Readonly<Record<ServerKind, Server>>

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
  if (missing().length === 0) return found as Servers
  const choice = context.fresh === true ? requested : await choiceOf(requested, context)
  for (const source of sourcesOf[choice]) await findIn(source)
  if (context.fresh !== true) keepChoice(context.directory, Object.values(found))
  return found as Servers
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
