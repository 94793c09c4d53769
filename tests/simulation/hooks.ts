import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A change of the text of a file of ours, to see whether the simulation notices. */
export type Mutation = { file: string; from: string; to: string }

const REPOSITORY = new URL('../../', import.meta.url)
const INSTEAD = new URL('instead/', import.meta.url)

/** Modules that touch a server, by who imports them, and what takes their place. */
const REPLACED: readonly { by: string; specifier: RegExp; instead: string }[] = [
  { by: 'packages/bus/', specifier: /^amqplib$/, instead: 'amqplib.ts' },
]

/** Lets everything that is imported from now on meet our stand-ins, and the mutation where there is one. */
export function installHooks(mutation: Mutation | null): void {
  const mutated = mutation && new URL(mutation.file, REPOSITORY).href
  if (mutation) mutate(readFileSync(new URL(mutation.file, REPOSITORY), 'utf8'), mutation)
  registerHooks({
    resolve(specifier, context, next) {
      const by = context.parentURL?.slice(REPOSITORY.href.length) ?? ''
      const found = REPLACED.find((one) => by.startsWith(one.by) && one.specifier.test(specifier))
      if (found && !by.startsWith('tests/simulation/instead/'))
        return { url: new URL(found.instead, INSTEAD).href, shortCircuit: true }
      return next(specifier, context)
    },
    load(url, context, next) {
      const loaded = next(url, context)
      if (!mutation || url !== mutated) return loaded
      return { ...loaded, source: mutate(readFileSync(fileURLToPath(url), 'utf8'), mutation) }
    },
  })
}

function mutate(text: string, { file, from, to }: Mutation): string {
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`)
  return text.replace(from, () => to)
}
