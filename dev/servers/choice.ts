import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import type { Server } from './types.ts'

/** The values of PLATTER_SERVERS, for servers without a URL: child processes, containers, or the first that works. */
export const serverChoices = ['native', 'docker', 'auto'] as const
export type ServerChoice = (typeof serverChoices)[number]
/** The kind of servers that hold the data of a run directory. */
type KeptChoice = Exclude<ServerChoice, 'auto'>

export function isServerChoice(text: string): text is ServerChoice {
  return (serverChoices as readonly string[]).includes(text)
}

const labels: Readonly<Record<KeptChoice, string>> = {
  native: 'servers that run as processes',
  docker: 'containers in Docker',
}

/**
 * Returns the servers to start, and a notice for the developer. Servers that hold data are started again, even when "auto" would
 * now choose others. `isDockerAvailable` is called only when it matters.
 */
export async function decideServers(
  requested: ServerChoice,
  kept: KeptChoice | null,
  isDockerAvailable: () => Promise<boolean>,
): Promise<{ choice: ServerChoice; notice: string | null }> {
  if (kept === null || requested === kept) return { choice: requested, notice: null }
  if (requested !== 'auto')
    return {
      choice: requested,
      notice: `The data of earlier starts stay in ${labels[kept]}: "npm start -- --servers ${kept}" uses them again.`,
    }
  const isAvailable = await isDockerAvailable()
  if (kept === 'docker' && !isAvailable)
    throw new Error(
      `The data of earlier starts are in ${labels.docker}, and Docker with Compose is not available. Start Docker, or start without these data by "npm start -- --servers native".`,
    )
  const notice =
    kept === 'native' && isAvailable
      ? `Docker is available, but the data of earlier starts are in ${labels.native}, which are used again. To change: "npm start -- --servers docker", or "npm run reset" to delete the data.`
      : null
  return { choice: kept, notice }
}

const fileIn = (directory: string) => join(directory, 'servers.json')

/** Returns the kind of servers that hold the data of a run directory; null when there is none, or URLs name all servers. */
export function loadKeptChoice(directory: string): KeptChoice | null {
  const text = readIfPresent(fileIn(directory))
  return text === null ? null : (JSON.parse(text) as { servers: KeptChoice }).servers
}

/** Stores the choice for the next start. */
export function keepChoice(directory: string, servers: readonly Server[]): void {
  const started = servers.map(({ origin }) => origin).find((origin) => origin !== 'given')
  if (started !== undefined) writeWhole(fileIn(directory), `${JSON.stringify({ servers: started })}\n`)
}
