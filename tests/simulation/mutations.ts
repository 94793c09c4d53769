import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { run } from './run.ts'

/**
 * A change of the text of a source file, which the simulation must find. The search begins at `seed`, the first seed that found the
 * bug after its planting.
 */
type Mutation = { name: string; seed: number; file: string; from: string; to: string }

function parse(diff: string): Mutation[] {
  const [, ...files] = diff.split(/^--- /m)
  return files.flatMap((part) => {
    const [file = '', ...bugs] = part.split(/^@@ /m)
    return bugs.map((bug) => {
      const [title = '', ...lines] = bug.trimEnd().split('\n')
      const [name = '', seed] = title.split(', seed ')
      const text = (sign: '-' | '+') =>
        lines
          .filter((line) => line.startsWith(sign))
          .map((line) => line.slice(1))
          .join('\n')
      return { name, seed: Number(seed), file: file.trim(), from: text('-'), to: text('+') }
    })
  })
}

/** A bug in a store in memory represents a condition of an SQL statement. */
export const MUTATIONS: readonly Mutation[] = parse(
  readFileSync(new URL('planted-bugs.diff', import.meta.url), 'utf8'),
)

const REPOSITORY = new URL('../../', import.meta.url)
/** Modules that may import a planted bug. */
const RELOADED = /^(services|tests\/simulation)\//

/** The importers of each module, by their URLs. */
const importers = new Map<string, Set<string>>()

/** Imports `run` without a bug, and stores which module imports which. No other module may have imported it. */
async function importUnchanged(): Promise<void> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      if (RELOADED.test(resolved.url.slice(REPOSITORY.href.length)))
        importers.set(resolved.url, (importers.get(resolved.url) ?? new Set()).add(context.parentURL ?? ''))
      return resolved
    },
  })
  await import('./run.ts')
  hooks.deregister()
}

/** Returns a module, and all that import it, directly or through others. */
function withImporters(url: string): Set<string> {
  const found = new Set([url])
  for (const one of found) for (const importer of importers.get(one) ?? []) found.add(importer)
  return found
}

const withoutQuery = (url: string) => url.replace(/\?.*/, '')
const queryOf = ({ name }: Mutation) => `?planted=${encodeURIComponent(name)}`

/**
 * Imports `run` with a planted bug. One process tries all bugs: the start of a process takes 0.7 s of CPU. Only the module with the bug
 * and its importers are loaded again. A module that is shared by the runs of one bug can also be shared by all bugs.
 */
export async function importMutated(mutation: Mutation): Promise<typeof run> {
  if (importers.size === 0) await importUnchanged()
  const hooks = plant(mutation)
  const loaded = (await import(`./run.ts${queryOf(mutation)}`)) as { run: typeof run }
  hooks.deregister()
  return loaded.run
}

/** Throws unless the file has the text exactly once. */
function plant(mutation: Mutation) {
  const { file, from, to } = mutation
  const planted = new URL(file, REPOSITORY)
  const text = readFileSync(fileURLToPath(planted), 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`)
  const reloaded = withImporters(planted.href)
  return registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const url = withoutQuery(resolved.url)
      return reloaded.has(url) ? { ...resolved, url: url + queryOf(mutation) } : resolved
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const isPlanted = withoutQuery(url) === planted.href
      return isPlanted ? { ...loaded, source: text.replace(from, () => to) } : loaded
    },
  })
}
