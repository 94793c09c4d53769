import { run, type Outcome } from './run.ts'

export type Campaign = {
  runs: number
  seed: number
  /** The campaign ends with the first seed that fails. */
  untilFound: boolean
  print: (line: string) => void
}

/** Totals over all runs. */
class Tally {
  readonly faults = new Map<string, number>()
  readonly states = new Map<string, number>()
  readonly kinds = new Map<string, number>()
  events = 0
  inDoubt = 0
  slowestMs = 0

  add({ faults, states, kinds, events, inDoubt, settledMs }: Outcome): void {
    for (const [kind, count] of faults) bump(this.faults, kind, count)
    for (const state of states) bump(this.states, state)
    for (const kind of kinds) bump(this.kinds, kind)
    this.events += events
    this.inDoubt += inDoubt
    this.slowestMs = Math.max(this.slowestMs, settledMs ?? 0)
  }
}

const bump = (counts: Map<string, number>, name: string, by = 1) =>
  counts.set(name, (counts.get(name) ?? 0) + by)

const inWords = (counts: ReadonlyMap<string, number>, separator: string) =>
  [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name}: ${count}`)
    .join(separator)

/** Runs consecutive seeds and prints a summary. Returns the seeds that failed. */
export async function campaign({ runs, seed: first, untilFound, print }: Campaign): Promise<number[]> {
  print(`seeds from ${first}`)
  const tally = new Tally()
  const failed: number[] = []
  const started = process.hrtime.bigint()
  for (let seed = first; seed < first + runs; seed++) {
    const outcome = await run(seed, { record: runs === 1 })
    tally.add(outcome)
    if (runs === 1) for (const line of outcome.history) print(line)
    if (outcome.violations.length === 0) continue
    failed.push(seed)
    await report(outcome, { print, withHistory: runs > 1 && !untilFound && failed.length === 1 })
    if (untilFound) break
  }
  const tookMs = Number((process.hrtime.bigint() - started) / 1_000_000n)
  summary(tally, {
    runs: untilFound && failed[0] !== undefined ? failed[0] - first + 1 : runs,
    tookMs,
    print,
  })
  print(
    failed.length === 0 ? 'no violation' : `${failed.length} seeds FAILED: ${failed.slice(0, 20).join(', ')}`,
  )
  return failed
}

/** Runs the first failed seed again and prints its history. Recording every history would be slow. */
async function report(
  { seed, violations }: Outcome,
  { print, withHistory }: { print: Campaign['print']; withHistory: boolean },
): Promise<void> {
  if (withHistory) {
    const again = await run(seed, { record: true })
    for (const line of again.history) print(line)
    if (JSON.stringify(again.violations) !== JSON.stringify(violations))
      print(`seed ${seed} DID NOT REPLAY: ${JSON.stringify(again.violations)}`)
  }
  for (const { rule, what, order } of violations)
    print(`seed ${seed} VIOLATED ${rule}: ${what}\n  ${JSON.stringify(order)}`)
  print(`again: npm run simulate -- --runs 1 --seed ${seed}`)
}

function summary(
  { faults, states, kinds, events, inDoubt, slowestMs }: Tally,
  { runs, tookMs, print }: { runs: number; tookMs: number; print: Campaign['print'] },
): void {
  print(`orders: ${inWords(kinds, ', ')}`)
  print(`faults: ${inWords(faults, ', ')}`)
  print(`saga states seen, ${states.size}:\n  ${inWords(states, '\n  ')}`)
  print(`slowest to settle after the last fault: ${Math.round(slowestMs / 1000)} virtual s`)
  print(`cancelled at the deadline although the restaurant had received it: ${inDoubt}`)
  print(`${runs} runs, ${events} events in ${(tookMs / 1000).toFixed(1)} s`)
}
