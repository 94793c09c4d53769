import { given } from './given.ts'
import { native } from './native.ts'
import { serverKinds, type Server, type ServerContext, type ServerKind, type ServerSource } from './types.ts'

/** The three servers, by kind. */
export type Servers = Readonly<Record<ServerKind, Server>>

/** Asked in this order. */
const sources: readonly ServerSource[] = [given, native]

/**
 * Finds or starts the servers. When it throws, some may run already: close the host and kill its children,
 * or let the process end.
 */
export async function findServers(
  context: ServerContext,
  wanted: readonly ServerKind[] = serverKinds,
): Promise<Servers> {
  const found: Partial<Record<ServerKind, Server>> = {}
  for (const source of sources) {
    const missing = wanted.filter((kind) => found[kind] === undefined)
    if (missing.length === 0) break
    for (const server of await source(missing, context)) found[server.kind] = server
  }
  return found as Servers
}
