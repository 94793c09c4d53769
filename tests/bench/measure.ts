import { setTimeout as wait } from 'node:timers/promises'
import type { Reporter } from '../../dev/progress.ts'
import type { Load, Outcome } from '../support/load/loop.ts'
import { tookOf } from '../support/load/figures.ts'
import { cpuOf, type Groups } from '../support/processes.ts'
import { print } from '../support/stack.ts'
import { formatStatuses, median, quantile, tally } from '../support/statistics.ts'

/** A subject of a measurement: an operation of the platform, or one of its limits. */
export type Subject = {
  name: string
  /** The groups of processes whose CPU is the cost of the subject. */
  counts: readonly string[]
  expects: number
  run: (load: Load) => Promise<Outcome>
}

/** Subjects and the processes that serve them: a stack, or the programs of the limits. Several sides receive load in turns. */
export type Side = { subjects: readonly Subject[]; groups: Groups }

/** CPU by group of processes, ms. */
type Cpu = Readonly<Record<string, number>>

/** One measurement of one subject. CPU is per operation, without the idle CPU of the processes. */
export type Sample = Awaited<ReturnType<typeof measure>>

/** The samples of the subjects of a side, one per round. */
export type Samples = (subject: string, clients: number) => readonly Sample[]

export type Plan = {
  name: string
  /** The subjects by name. A side without a subject of the name has no turn. */
  subjects: readonly string[]
  clients: readonly number[]
  seconds: number
  rounds: number
  reporter: Reporter
}

/** The warm-up of a subject is this factor longer than its measurement. */
const WARM_UP = 4
const WARM_UP_CLIENTS = 16
const IDLE_SECONDS = 4

/**
 * Measures every subject on every side, round after round. A disturbance of the machine that lasts longer than a round then affects
 * every subject. Subjects run before the first round, because V8 compiles hot functions late. A menu costs three times as much in
 * the first five seconds as later.
 */
export async function measureInTurns(sides: readonly Side[], plan: Plan): Promise<Samples[]> {
  const { name, reporter, rounds, seconds } = plan
  const subjectsOf = (subject: string) =>
    sides.flatMap((side, at) => {
      const found = side.subjects.find((one) => one.name === subject)
      return found ? [{ subject: found, side, at }] : []
    })
  const turns = plan.subjects.flatMap((subject) =>
    plan.clients.flatMap((clients) => subjectsOf(subject).map((one) => ({ ...one, clients }))),
  )
  await reporter.step(`Warm-up: ${name}`, async () => {
    for (const { subject } of plan.subjects.flatMap(subjectsOf))
      await subject.run({ clients: WARM_UP_CLIENTS, seconds: seconds * WARM_UP })
  })
  const idle = await reporter.step(`Idle CPU: ${name}`, () =>
    Promise.all(sides.map(({ groups }) => idleOf(groups))),
  )
  const samples = sides.map(() => new Map<string, Sample[]>())
  for (let round = 1; round <= rounds; round++)
    await reporter.step(`Round ${round} of ${rounds}: ${name}`, async (step) => {
      for (const { subject, side, at, clients } of turns) {
        const key = `${subject.name}, ${clients}`
        step.now(`${key} clients`)
        const sample = await measure(subject, { side, idle: idle[at]!, clients, seconds })
        samples[at]!.set(key, [...(samples[at]!.get(key) ?? []), sample])
      }
    })
  return samples.map((ofSide) => (subject, each) => ofSide.get(`${subject}, ${each}`) ?? [])
}

/** Returns the CPU of each group without load, in ms a second. */
async function idleOf(groups: Groups): Promise<Cpu> {
  const [before, began] = [cpuOf(groups), performance.now()]
  await wait(IDLE_SECONDS * 1_000)
  const took = (performance.now() - began) / 1_000
  return mapValues(cpuOf(groups), (ms, group) => (ms - (before[group] ?? 0)) / took)
}

/** Measures once, after a warm-up of a third of the time. */
async function measure(
  subject: Subject,
  { side: { groups }, idle, clients, seconds }: { side: Side; idle: Cpu; clients: number; seconds: number },
) {
  await subject.run({ clients, seconds: seconds / 3 })
  const [before, began] = [cpuOf(groups), performance.now()]
  const outcome = await subject.run({ clients, seconds })
  const wholeTook = (performance.now() - began) / 1_000
  const took = tookOf(outcome, subject.expects)
  if (took.length === 0)
    throw new Error(`${subject.name}: none of ${outcome.sent} succeeded: ${outcome.failure}`)
  const used = mapValues(cpuOf(groups), (ms, group) =>
    Math.max(0, (ms - (before[group] ?? 0) - (idle[group] ?? 0) * wholeTook) / took.length),
  )
  return {
    perSecond: took.length / outcome.seconds,
    p50: quantile(took, 0.5),
    p99: quantile(took, 0.99),
    /** The statuses of the failed requests. */
    failed: failuresOf(subject, outcome),
    cpuByGroup: used,
    cpu: subject.counts.reduce((sum, group) => sum + (used[group] ?? 0), 0),
  }
}

/** Returns the statuses of the requests without the expected one; 0 means lost. Prints their counts, and the first response. */
export function failuresOf(
  { name, expects }: Pick<Subject, 'name' | 'expects'>,
  { byStatus, failure }: Outcome,
): number[] {
  const { [expects]: _, ...others } = byStatus
  const failed = Object.entries(others).flatMap(([status, took]) => took.map(() => Number(status)))
  if (failed.length > 0) print(`${name}: ${formatStatuses(tally(failed))}; the first: ${failure}`)
  return failed
}

/** Returns the median of the ratios of the rounds, and their quartiles. */
export function ratioOf(own: readonly number[], others: readonly number[]) {
  const ratios = own.map((value, round) => value / (others[round] ?? NaN))
  const quartiles = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2))
  return { value: median(ratios), quartiles: quartiles.join('–') }
}

/** Returns the sum of several subjects for each round. */
export const sumRounds = (all: readonly (readonly number[])[]): number[] =>
  (all[0] ?? []).map((_, round) => all.reduce((sum, rounds) => sum + (rounds[round] ?? NaN), 0))

const mapValues = (values: Cpu, change: (value: number, key: string) => number): Cpu =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
