import { setTimeout as wait } from 'node:timers/promises'
import { cpuOf, peaksOf, resetPeaks, type Groups } from './processes.ts'
import type { Subject } from './subjects.ts'
import type { Outcome } from './workers/loop.ts'

/** CPU by group, milliseconds. */
export type Cpu = Readonly<Record<string, number>>

/** One measurement of one subject. `cpu` is by operation, what the processes use when nobody asks is taken off. */
export type Sample = { outcome: Outcome; cpu: Cpu; total: number; memory: Readonly<Record<string, number>> }

/** The same subject at the same number of clients, in every round. */
export type Row = {
  subject: string
  kind: Subject['kind']
  about: string
  clients: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  failed: number
  failure: string | null
  /** Milliseconds of CPU an operation, all its processes together: the median of the rounds. */
  cpu: number
  byProcess: Record<string, number>
  /** MB at the worst moment, the largest process of each group. */
  memory: Record<string, number>
  /** `cpu` of each round. */
  rounds: number[]
  /** How often its CPU is that of its limits together; null where there are none. */
  ratio: { to: readonly string[]; value: number; noise: number } | null
}

/** Milliseconds of CPU a second that each group uses when nobody asks for anything. */
export async function idleOf(groups: Groups, seconds: number): Promise<Cpu> {
  const before = cpuOf(groups)
  const from = performance.now()
  await wait(seconds * 1_000)
  const took = (performance.now() - from) / 1_000
  return map(cpuOf(groups), (ms, group) => (ms - (before[group] ?? 0)) / took)
}

/** So many times as long as it is measured an operation runs before. */
const WARM = 4

/**
 * Lets a platform that was just started get warm: V8 compiles what runs often, and a menu costs three times as much in the
 * first five seconds as later. The limits are small, and warm after the third of a measurement.
 */
export async function warmUp(
  subjects: readonly Subject[],
  { clients, seconds }: { clients: number; seconds: number },
): Promise<void> {
  for (const subject of subjects) await subject.run({ clients, seconds: seconds * WARM })
}

/** Measures once, after a third as long in which nothing counts. */
export async function sample(
  subject: Subject,
  { clients, seconds, groups, idle }: { clients: number; seconds: number; groups: Groups; idle: Cpu },
): Promise<Sample> {
  await subject.run({ clients, seconds: seconds / 3 })
  const counted = Object.fromEntries(Object.entries(groups).filter(([name]) => subject.counts.includes(name)))
  resetPeaks(counted)
  const before = cpuOf(groups)
  const from = performance.now()
  const outcome = await subject.run({ clients, seconds })
  const took = (performance.now() - from) / 1_000
  if (outcome.count === 0)
    throw new Error(`${subject.name}: none of ${outcome.failed} came out well: ${outcome.failure}`)
  const used = map(cpuOf(groups), (ms, group) =>
    Math.max(0, (ms - (before[group] ?? 0) - (idle[group] ?? 0) * took) / outcome.count),
  )
  const total = subject.counts.reduce((sum, group) => sum + (used[group] ?? 0), 0)
  return { outcome, cpu: used, total, memory: peaksOf(counted) }
}

/** Puts the rounds of a subject together. */
export function rowOf(subject: Subject, clients: number, samples: readonly Sample[]): Row {
  const { name, kind, about } = subject
  const middle = (read: (one: Sample) => number) => median(samples.map(read))
  const groups = Object.keys(samples[0]?.cpu ?? {}).filter(
    (group) => subject.counts.includes(group) || (kind === 'operation' && group === 'processor'),
  )
  const memory = Object.keys(samples[0]?.memory ?? {})
  return {
    subject: name,
    kind,
    about,
    clients,
    perSecond: middle(({ outcome }) => outcome.count / outcome.seconds),
    p50: middle(({ outcome }) => outcome.p50),
    p99: middle(({ outcome }) => outcome.p99),
    failed: samples.reduce((sum, { outcome }) => sum + outcome.failed, 0),
    failure: samples.find(({ outcome }) => outcome.failure !== null)?.outcome.failure ?? null,
    cpu: middle(({ total }) => total),
    byProcess: Object.fromEntries(groups.map((group) => [group, middle(({ cpu }) => cpu[group] ?? 0)])),
    memory: Object.fromEntries(
      memory.map((group) => [group, Math.max(...samples.map((one) => one.memory[group] ?? 0))]),
    ),
    rounds: samples.map(({ total }) => total),
    ratio: null,
  }
}

/** No two rounds are more alike than this, whatever few of them say. */
const LEAST_NOISE = 0.03

/**
 * Holds a row against others of the same number of clients, round by round: what disturbs the machine for longer
 * than a round meets both. The noise is half the range of the rounds' ratios, as a share of their median.
 */
export function ratioTo(row: Row, limits: readonly Row[]): NonNullable<Row['ratio']> {
  const ratios = row.rounds.map(
    (cpu, round) => cpu / limits.reduce((sum, limit) => sum + (limit.rounds[round] ?? NaN), 0),
  )
  const value = median(ratios)
  const noise = (Math.max(...ratios) - Math.min(...ratios)) / 2 / value
  return { to: limits.map(({ subject }) => subject), value, noise: Math.max(noise, LEAST_NOISE) }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = Math.floor(sorted.length / 2)
  const [low = NaN, high = NaN] = [sorted[half - (sorted.length % 2 === 0 ? 1 : 0)], sorted[half]]
  return (low + high) / 2
}

const map = (values: Cpu, change: (value: number, key: string) => number): Cpu =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))
