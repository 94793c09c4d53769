import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { importCampaign } from './hooks.ts'
import { MUTATIONS } from './mutations.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    /** The first seed. If absent, a random seed, which is printed. */
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    /** Plants each bug of `mutations.ts` in turn, and prints the first seed that finds it. */
    mutations: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)

/** After a change of the code, another seed may be the first to find a planted bug. */
const SEEDS_OF_A_BUG = 2_000

async function findMutations(): Promise<boolean> {
  let missed = 0
  for (const bug of MUTATIONS) {
    const { campaign } = await importCampaign(bug)
    const search = { runs: SEEDS_OF_A_BUG, seed: bug.seed, untilFound: true, print: () => undefined }
    const [found] = await campaign(search)
    print(found === undefined ? `MISSED ${bug.name}` : `found by seed ${found}: ${bug.name}`)
    if (found === undefined) missed += 1
  }
  return missed === 0
}

async function holds(): Promise<boolean> {
  const { campaign } = await importCampaign(null)
  const { runs, seed } = values
  return (await campaign({ runs: Number(runs), seed: Number(seed), untilFound: false, print })).length === 0
}

process.exitCode = (await (values.mutations ? findMutations() : holds())) ? 0 : 1
