import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { campaign } from './campaign.ts'

/** A change of the text of a file of ours, to see whether the simulation notices. */
export type Mutation = { file: string; from: string; to: string }

const REPOSITORY = new URL('../../', import.meta.url)
const INSTEAD = new URL('instead/', import.meta.url)

/** Modules that touch a server, by who imports them, and what takes their place. */
const REPLACED: readonly { by: string; specifier: RegExp; instead: string }[] = [
  { by: 'packages/bus/', specifier: /^amqplib$/, instead: 'amqplib.ts' },
]

let planted: Mutation | null = null
/** Modules are loaded anew for each bug: these, where the bugs are and what holds their state. */
const LOADED_ANEW = /^(services|packages\/bus|tests\/simulation)\//
const plain = (url: string) => url.replace(/\?.*/, '')

/**
 * Imports the campaign with test doubles in place of what touches a server, and with a planted bug where there is one. One
 * process tries all bugs: starting one takes 0.7 s, loading the modules anew 0.1.
 */
export async function importCampaign(mutation: Mutation | null): Promise<{ campaign: typeof campaign }> {
  planted = mutation
  if (mutation) mutate(readFileSync(new URL(mutation.file, REPOSITORY), 'utf8'), mutation)
  return (await import(`./campaign.ts${queryOf(mutation)}`)) as { campaign: typeof campaign }
}

const queryOf = (mutation: Mutation | null) =>
  mutation ? `?planted=${encodeURIComponent(mutation.from)}` : ''

registerHooks({
  resolve(specifier, context, next) {
    const by = plain(context.parentURL ?? '').slice(REPOSITORY.href.length)
    const found = REPLACED.find((one) => by.startsWith(one.by) && one.specifier.test(specifier))
    const resolved =
      found && !by.startsWith('tests/simulation/instead/')
        ? { url: new URL(found.instead, INSTEAD).href, shortCircuit: true }
        : next(specifier, context)
    const isAnew = LOADED_ANEW.test(resolved.url.slice(REPOSITORY.href.length))
    return isAnew ? { ...resolved, url: plain(resolved.url) + queryOf(planted) } : resolved
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!planted || plain(url) !== new URL(planted.file, REPOSITORY).href) return loaded
    return { ...loaded, source: mutate(readFileSync(fileURLToPath(plain(url)), 'utf8'), planted) }
  },
})

function mutate(text: string, { file, from, to }: Mutation): string {
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`)
  return text.replace(from, () => to)
}
