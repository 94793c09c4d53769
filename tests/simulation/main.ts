import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { importMutated, MUTATIONS } from './mutations.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    /** The first seed. If absent, a random seed, which is printed. */
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    /** Plants each bug of `planted-bugs.diff` in turn, and prints the first seed that finds it. */
    mutations: { type: 'boolean', default: false },
  },
})
const print = (line: string) => void process.stdout.write(`${line}\n`)

/** After a change of the code, another seed may be the first to find a planted bug. */
const SEEDS_OF_A_BUG = 2_000

async function isEachBugFound(): Promise<boolean> {
  let missed = 0
  for (const bug of MUTATIONS) {
    const mutated = await importMutated(bug)
    let seed = bug.seed
    while (seed < bug.seed + SEEDS_OF_A_BUG && (await mutated(seed)).length === 0) seed++
    const isMissed = seed === bug.seed + SEEDS_OF_A_BUG
    print(isMissed ? `MISSED ${bug.name}` : `found by seed ${seed}: ${bug.name}`)
    if (isMissed) missed += 1
  }
  return missed === 0
}

/** Runs consecutive seeds and prints a summary. A single run prints its history. Returns true if no run has a violation. */
async function areInvariantsKept(runs: number, first: number): Promise<boolean> {
  const { run } = await import('./run.ts')
  const simulation = await import('./simulation.ts')
  const counts = new Map<string, number>()
  const failed: number[] = []
  let events = 0
  const started = process.hrtime.bigint()
  print(`seeds from ${first}`)
  for (let seed = first; seed < first + runs; seed++) {
    const violations = await run(seed, runs === 1)
    const { world } = simulation
    for (const line of world.history ?? []) print(line)
    for (const { what, order } of violations)
      print(`seed ${seed} VIOLATED ${what}\n  ${JSON.stringify(order)}`)
    if (violations.length > 0) failed.push(seed)
    for (const [name, count] of world.counts) counts.set(name, (counts.get(name) ?? 0) + count)
    events += world.events
  }
  const tookMs = Number((process.hrtime.bigint() - started) / 1_000_000n)
  for (const line of [...counts].map(([name, count]) => `  ${name}: ${count}`).toSorted()) print(line)
  print(`${runs} runs, ${events} events in ${(tookMs / 1000).toFixed(1)} s`)
  print(failed.length === 0 ? 'no violation' : `${failed.length} seeds FAILED: ${failed.join(', ')}`)
  if (failed.length > 0) print(`history: npm run simulate -- --runs 1 --seed ${failed[0]}`)
  return failed.length === 0
}

const isGood = values.mutations
  ? await isEachBugFound()
  : await areInvariantsKept(Number(values.runs), Number(values.seed))
process.exitCode = isGood ? 0 : 1
