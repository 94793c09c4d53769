import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { installHooks } from './hooks.ts'
import { MUTATIONS } from './mutations.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    /** The first one; without it other seeds each time, which are printed. */
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    /** Plants a bug of `mutations.ts` and ends with the first seed that finds it. */
    mutation: { type: 'string' },
  },
})
const mutation = values.mutation === undefined ? null : MUTATIONS[values.mutation]
if (mutation === undefined) throw new Error(`there is no mutation: ${values.mutation}`)
installHooks(mutation)
// Only what is imported from here on meets the hooks.
const { campaign } = await import('./campaign.ts')
const failed = await campaign({
  runs: Number(values.runs),
  seed: Number(values.seed),
  untilFound: mutation !== null,
  say: (line) => process.stdout.write(`${line}\n`),
})
process.exitCode = failed.length === 0 ? 0 : 1
