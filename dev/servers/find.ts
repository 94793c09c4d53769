import {
  decideServers,
  isServerChoice,
  keepChoice,
  loadKeptChoice,
  serverChoices,
  type ServerChoice,
} from './choice.ts'
import { findDocker } from './compose-command.ts'
import { docker, dockerIfItWorks } from './docker.ts'
import { given } from './given.ts'
import { native } from './native.ts'
import { serverKinds, type Server, type ServerContext, type ServerKind, type ServerSource } from './types.ts'

/** The three servers, by kind. */
export type Servers = Readonly<Record<ServerKind, Server>>

/** Of servers that no URL names. */
const sourcesOf: Readonly<Record<ServerChoice, readonly ServerSource[]>> = {
  native: [native],
  docker: [docker],
  auto: [dockerIfItWorks, native],
}

/**
 * Finds or starts the servers. When it throws, some may run already: close the host and kill its children,
 * or let the process end.
 */
export async function findServers(
  context: ServerContext,
  wanted: readonly ServerKind[] = serverKinds,
): Promise<Servers> {
  const asked = process.env['PLATTER_SERVERS'] || 'auto'
  if (!isServerChoice(asked))
    throw new Error(`PLATTER_SERVERS is one of ${serverChoices.join(', ')}, not "${asked}"`)
  const found: Partial<Record<ServerKind, Server>> = {}
  const missing = () => wanted.filter((kind) => found[kind] === undefined)
  const ask = async (source: ServerSource) => {
    if (missing().length === 0) return
    for (const server of await source(missing(), context)) found[server.kind] = server
  }
  await ask(given)
  if (missing().length === 0) return found as Servers
  const choice = context.fresh === true ? asked : await choiceOf(asked, context)
  for (const source of sourcesOf[choice]) await ask(source)
  if (context.fresh !== true) keepChoice(context.directory, Object.values(found))
  return found as Servers
}

async function choiceOf(asked: ServerChoice, { directory, reporter }: ServerContext): Promise<ServerChoice> {
  const { choice, notice } = await decideServers(asked, loadKeptChoice(directory), engineAnswers)
  if (notice !== null) reporter.say(notice)
  return choice
}

async function engineAnswers(): Promise<boolean> {
  try {
    await findDocker()
    return true
  } catch {
    // Without an engine or without Compose: either way Docker would not be chosen today.
    return false
  }
}
