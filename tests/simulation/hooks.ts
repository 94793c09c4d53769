import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { campaign } from './campaign.ts'

/** A change of the text of a source file. The simulation must detect it. */
export type Mutation = { file: string; from: string; to: string }

const REPOSITORY = new URL('../../', import.meta.url)
/** Modules that are loaded again for each planted bug, because they may contain one or hold state. */
const RELOADED = /^(services|packages\/bus|tests\/simulation)\//

const withoutQuery = (url: string) => url.replace(/\?.*/, '')

/** The JavaScript of each reloaded file. Without this cache, stripping the types took a quarter of the time of all bugs. */
const stripped = new Map<string, string>()

function javaScriptOf(url: string): string {
  const known = stripped.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  stripped.set(url, known)
  return known
}

/**
 * Imports the campaign, with an optional planted bug. One process tries all bugs: the start of a process takes 0.7 s of CPU,
 * loading the modules again 0.1 s.
 */
export async function importCampaign(mutation: Mutation | null): Promise<{ campaign: typeof campaign }> {
  const hooks = mutation && plant(mutation)
  const query = mutation ? queryOf(mutation) : ''
  const loaded = (await import(`./campaign.ts${query}`)) as { campaign: typeof campaign }
  hooks?.deregister()
  return loaded
}

const queryOf = ({ from }: Mutation) => `?planted=${encodeURIComponent(from)}`

/** Throws unless the file has the text exactly once. */
function plant(mutation: Mutation) {
  const { file, from, to } = mutation
  const planted = new URL(file, REPOSITORY)
  const text = readFileSync(fileURLToPath(planted), 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`)
  return registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const isReloaded = RELOADED.test(resolved.url.slice(REPOSITORY.href.length))
      return isReloaded ? { ...resolved, url: withoutQuery(resolved.url) + queryOf(mutation) } : resolved
    },
    load(url, context, next) {
      const original = withoutQuery(url)
      if (original === url) return next(url, context)
      const source =
        original === planted.href
          ? stripTypeScriptTypes(text.replace(from, () => to))
          : javaScriptOf(original)
      return { format: 'module', source, shortCircuit: true }
    },
  })
}
