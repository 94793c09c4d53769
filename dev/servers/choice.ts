import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { readIfPresent } from '../process/identity.ts'
import type { Server } from './types.ts'

/** What PLATTER_SERVERS may say of servers that no URL names: child processes, containers, or whatever works. */
export const serverChoices = ['native', 'docker', 'auto'] as const
/** One of them. */
export type ServerChoice = (typeof serverChoices)[number]
/** The servers that have the data of a run directory. */
export type KeptChoice = Exclude<ServerChoice, 'auto'>

/** Whether this is a choice, and not a slip of the pen. */
export function isServerChoice(text: string): text is ServerChoice {
  return (serverChoices as readonly string[]).includes(text)
}

const labels: Readonly<Record<KeptChoice, string>> = {
  native: 'servers that run as processes',
  docker: 'containers in Docker',
}

/**
 * Which servers to start, and what to tell the person: servers that have data are started again, whatever would be
 * chosen today. `engineAnswers` is called only where the answer matters.
 */
export async function decideServers(
  asked: ServerChoice,
  kept: KeptChoice | null,
  engineAnswers: () => Promise<boolean>,
): Promise<{ choice: ServerChoice; notice: string | null }> {
  if (kept === null || asked === kept) return { choice: asked, notice: null }
  if (asked !== 'auto')
    return {
      choice: asked,
      notice: `The data of earlier starts stay in ${labels[kept]}: "npm start -- --servers ${kept}" goes back to them.`,
    }
  const answers = await engineAnswers()
  if (kept === 'docker' && !answers)
    throw new Error(
      `The data of earlier starts are in ${labels.docker}, and no Docker answers that has Compose: start it, or begin without them by "npm start -- --servers native".`,
    )
  const notice =
    kept === 'native' && answers
      ? `Docker answers now, but the data of earlier starts are in ${labels.native}, which start again. To change: "npm start -- --servers docker", or "npm run reset" to forget the data.`
      : null
  return { choice: kept, notice }
}

const fileIn = (directory: string) => join(directory, 'servers.json')

/** The servers that have the data of a run directory; null when there are none, or only of URLs. */
export function loadKeptChoice(directory: string): KeptChoice | null {
  const text = readIfPresent(fileIn(directory))
  if (text !== null) return (JSON.parse(text) as { servers: KeptChoice }).servers
  // A run directory of an older version has the data alone; of both kinds, nobody can tell which are the last.
  const native = existsSync(join(directory, 'postgres'))
  const docker = existsSync(join(directory, 'docker/kept.json'))
  if (native === docker) return null
  return native ? 'native' : 'docker'
}

/** Keeps the choice for the next start. */
export function keepChoice(directory: string, servers: readonly Server[]): void {
  const started = servers.map(({ origin }) => origin).find((origin) => origin !== 'given')
  if (started !== undefined) writeWhole(fileIn(directory), `${JSON.stringify({ servers: started })}\n`)
}
