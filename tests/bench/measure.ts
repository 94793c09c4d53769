import { setTimeout as wait } from 'node:timers/promises'
import type { Reporter } from '../../dev/progress.ts'
import { tookOf } from '../support/load/figures.ts'
import { cpuOf, peaksOf, resetPeaks, type Groups } from '../support/processes.ts'
import { median, quantile } from '../support/statistics.ts'
import type { Subject, Subjects } from './subjects.ts'

/** CPU by group of processes, ms. */
type Cpu = Readonly<Record<string, number>>

/** One measurement of one subject. CPU is per operation, without the idle CPU of the processes. */
export type Sample = {
  perSecond: number
  p50: number
  p99: number
  failed: number
  cpuByGroup: Cpu
  cpu: number
  /** The peak in MB: the largest process of each group. */
  memory: Readonly<Record<string, number>>
}

/** A stack and its subjects. Several sides receive the same load in turns. */
export type Side = Subjects & { idle: Cpu; samples: Map<string, Sample[]> }

export const newSide = (...parts: readonly Subjects[]): Side => ({
  subjects: parts.flatMap(({ subjects }) => subjects),
  groups: Object.assign({}, ...parts.map(({ groups }) => groups)) as Groups,
  idle: {},
  samples: new Map(),
})

/** Returns the samples of a subject at a number of clients, one per round. */
export const samplesOf = ({ samples }: Side, subject: string, clients: number): readonly Sample[] =>
  samples.get(`${subject}, ${clients}`) ?? []

export type Plan = {
  name: string
  /** The subjects by name, including subjects that only the first side has. */
  subjects: readonly string[]
  clients: readonly number[]
  seconds: number
  rounds: number
  reporter: Reporter
  /** Called after each round. */
  afterRound?: () => void
}

/** The warm-up of an operation is this factor longer than its measurement. */
const WARM_UP = 4
const WARM_UP_CLIENTS = 16
const IDLE_SECONDS = 4

/**
 * Measures every subject on every side, round after round. A disturbance of the machine that lasts longer than a round then affects
 * every subject. Operations run before the first round, because V8 compiles hot functions late. A menu costs three times as much in
 * the first five seconds as later. A limit has little code, and is warm after a third of a measurement.
 */
export async function measureInTurns(sides: readonly Side[], plan: Plan): Promise<void> {
  const { name, reporter, rounds, seconds, clients } = plan
  const isWanted = (subject: Subject) => plan.subjects.includes(subject.name)
  await reporter.step(`Warm-up: ${name}`, async () => {
    for (const { subjects } of sides)
      for (const subject of subjects.filter((one) => isWanted(one) && one.kind === 'operation'))
        await subject.run({ clients: WARM_UP_CLIENTS, seconds: seconds * WARM_UP })
  })
  await reporter.step(`Idle CPU: ${name}`, () =>
    Promise.all(sides.map(async (side) => (side.idle = await idleOf(side.groups)))),
  )
  const turns = plan.subjects.flatMap((subject) =>
    clients.flatMap((each) =>
      sides.flatMap((side) => {
        const found = side.subjects.find((one) => one.name === subject)
        return found ? [{ subject: found, clients: each, side }] : []
      }),
    ),
  )
  for (let round = 1; round <= rounds; round++)
    await reporter.step(`Round ${round} of ${rounds}: ${name}`, async (step) => {
      for (const turn of turns) {
        const key = `${turn.subject.name}, ${turn.clients}`
        step.now(`${key} clients`)
        const { samples } = turn.side
        samples.set(key, [...(samples.get(key) ?? []), await measure(turn, seconds)])
      }
      plan.afterRound?.()
    })
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
  { subject, clients, side: { groups, idle } }: { subject: Subject; clients: number; side: Side },
  seconds: number,
): Promise<Sample> {
  await subject.run({ clients, seconds: seconds / 3 })
  const counted = Object.fromEntries(Object.entries(groups).filter(([name]) => subject.counts.includes(name)))
  resetPeaks(counted)
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
    failed: outcome.sent - took.length,
    cpuByGroup: used,
    cpu: subject.counts.reduce((sum, group) => sum + (used[group] ?? 0), 0),
    memory: peaksOf(counted),
  }
}

export type Ratio = { value: number; noise: number; quartiles: string }

/** The least noise of a ratio, even if a few rounds happen to be closer. */
const LEAST_NOISE = 0.03

/** Returns the median of the ratios of the rounds, half their range as a share of it, and their quartiles. */
export function ratioOf(own: readonly number[], others: readonly number[]): Ratio {
  const ratios = own.map((value, round) => value / (others[round] ?? NaN))
  const value = median(ratios)
  const noise = (Math.max(...ratios) - Math.min(...ratios)) / 2 / value
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] ?? NaN).toFixed(2)
  return { value, noise: Math.max(noise, LEAST_NOISE), quartiles: `${at(0.25)}–${at(0.75)}` }
}

/** Returns the CPU of each round. */
export const cpuRounds = (samples: readonly Sample[]): number[] => samples.map(({ cpu }) => cpu)

/** Returns the sum of several subjects for each round. */
export const sumRounds = (all: readonly (readonly number[])[]): number[] =>
  (all[0] ?? []).map((_, round) => all.reduce((sum, rounds) => sum + (rounds[round] ?? NaN), 0))

/** Returns the median of the rounds. */
export const middle = (samples: readonly Sample[], read: (one: Sample) => number): number =>
  median(samples.map(read))

const mapValues = (values: Cpu, change: (value: number, key: string) => number): Cpu =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
