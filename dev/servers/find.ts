import { docker, dockerIfItWorks } from './docker.ts'
import { given } from './given.ts'
import { native } from './native.ts'
import { serverKinds, type Server, type ServerContext, type ServerKind, type ServerSource } from './types.ts'

/** The three servers, by kind. */
export type Servers = Readonly<Record<ServerKind, Server>>

/** What PLATTER_SERVERS may say of servers that no URL names: child processes, containers, or whatever works. */
export const serverChoices = ['native', 'docker', 'auto'] as const
/** One of them. */
export type ServerChoice = (typeof serverChoices)[number]

const sourcesOf: Readonly<Record<ServerChoice, readonly ServerSource[]>> = {
  native: [given, native],
  docker: [given, docker],
  auto: [given, dockerIfItWorks, native],
}

/** Whether this is a choice, and not a slip of the pen. */
export function isServerChoice(text: string): text is ServerChoice {
  return (serverChoices as readonly string[]).includes(text)
}

/**
 * Finds or starts the servers. When it throws, some may run already: close the host and kill its children,
 * or let the process end.
 */
export async function findServers(
  context: ServerContext,
  wanted: readonly ServerKind[] = serverKinds,
): Promise<Servers> {
  const choice = process.env['PLATTER_SERVERS'] || 'auto'
  if (!isServerChoice(choice))
    throw new Error(`PLATTER_SERVERS is one of ${serverChoices.join(', ')}, not "${choice}"`)
  const found: Partial<Record<ServerKind, Server>> = {}
  for (const source of sourcesOf[choice]) {
    const missing = wanted.filter((kind) => found[kind] === undefined)
    if (missing.length === 0) break
    for (const server of await source(missing, context)) found[server.kind] = server
  }
  return found as Servers
}
