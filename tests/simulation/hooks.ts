import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Mutation } from './mutations.ts'
import type { run } from './run.ts'

const REPOSITORY = new URL('../../', import.meta.url)
/** Modules that are loaded again for each planted bug, because they may contain one or hold state. */
const RELOADED = /^(services|packages\/bus|tests\/simulation)\//

const withoutQuery = (url: string) => url.replace(/\?.*/, '')

/**
 * Imports `run` with a planted bug. One process tries all bugs: the start of a process takes 0.7 s of CPU, loading the modules again
 * 0.1 s.
 */
export async function importMutated(mutation: Mutation): Promise<typeof run> {
  const hooks = plant(mutation)
  const loaded = (await import(`./run.ts${queryOf(mutation)}`)) as { run: typeof run }
  hooks.deregister()
  return loaded.run
}

const queryOf = ({ name }: Mutation) => `?planted=${encodeURIComponent(name)}`

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
      const loaded = next(url, context)
      const isPlanted = withoutQuery(url) === planted.href
      return isPlanted ? { ...loaded, source: text.replace(from, () => to) } : loaded
    },
  })
}
