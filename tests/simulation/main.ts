import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { importCampaign } from './hooks.ts'
import { MUTATIONS } from './mutations.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    /** The first one; without it other seeds each time, which are printed. */
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    /** Plants each bug of `mutations.ts` in turn and prints the first seed that finds it. */
    mutations: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)

async function findMutations(): Promise<boolean> {
  let missed = 0
  for (const [name, mutation] of Object.entries(MUTATIONS)) {
    const { seed, within } = mutation
    const { campaign } = await importCampaign(mutation)
    const [found] = await campaign({ runs: within, seed, untilFound: true, say: () => undefined })
    print(found === undefined ? `MISSED ${name}` : `found by seed ${found}: ${name}`)
    if (found === undefined) missed += 1
  }
  return missed === 0
}

async function holds(): Promise<boolean> {
  const { campaign } = await importCampaign(null)
  const { runs, seed } = values
  return (
    (await campaign({ runs: Number(runs), seed: Number(seed), untilFound: false, say: print })).length === 0
  )
}

process.exitCode = (await (values.mutations ? findMutations() : holds())) ? 0 : 1
