import { join } from 'node:path'
import { plainReporter, type Reporter } from '../../../dev/progress.ts'
import { idleOf, median, rowOf, sample, warmUp, type Cpu, type Sample } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { startPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import type { Groups } from '../processes.ts'
import { digits, type Section } from '../report.ts'
import { operationsOn, type Bench, type Subject } from '../subjects.ts'

/*
 * Two stacks side by side that take the same load in turns: what another setting costs. Both are new and have done
 * the same: one that has done everything before has compiled other code than one that knows three operations only.
 */

export const BUSY = 16
/** As long again as elsewhere, so many times: two replicas share the requests that get them warm. */
const WARM = 3

export type Frame = { out: string; seconds: number; rounds: number; reporter: Reporter; telemetry: string }
type Setting = Pick<PlatformOptions, 'replicas' | 'telemetry' | 'commit'>

export type Side = {
  platform: Platform
  subjects: readonly Subject[]
  groups: Groups
  idle: Cpu
  /** By operation and number of clients, see `keyOf`. */
  samples: Map<string, Sample[]>
}
export type Sides = readonly [Side, Side]
export type Figures = { perSecond: number; cpu: number }

/** What a busy and a quiet machine are measured with in a pair of which one setting differs. */
type PairOptions = { frame: Frame; operations: readonly OperationName[] }

/**
 * Two replicas of each service, against one of each: with one client, which leaves the machine quiet, and with as many as
 * keep both cores busy, where twice as many processes share as much CPU and half as much comes together in each commit.
 */
export const replicas = (bench: Pick<Bench, 'load'>, { frame, operations }: PairOptions): Promise<Section> =>
  pair(bench, {
    frame,
    operations,
    sides: [{ telemetry: frame.telemetry }, { replicas: 2, telemetry: frame.telemetry }],
    clients: [1, BUSY],
    section: {
      name: 'replicas',
      about: 'Two replicas of each service beside one of each, on the same machine.',
      columns: columnsOf('one', 'two', 'two / one, a second'),
    },
    value: (own, others) => others.perSecond / own.perSecond,
  })

/** Telemetry at the default sampling, sent to a receiver, against none. */
export const tracing = (bench: Pick<Bench, 'load'>, { frame, operations }: PairOptions): Promise<Section> =>
  pair(bench, {
    frame,
    operations,
    sides: [{ telemetry: frame.telemetry }, { telemetry: null }],
    clients: [BUSY],
    section: {
      name: 'tracing',
      about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
      columns: columnsOf('on', 'off', 'on / off, CPU'),
    },
    value: cpuRatio,
  })

export const columnsOf = (own: string, other: string, result: string): string[] => [
  '',
  'clients',
  `${own}: a second`,
  `${other}: a second`,
  result,
  'quartiles',
  `${own}: CPU ms`,
  `${other}: CPU ms`,
]

export const cpuRatio = (own: Figures, others: Figures): number => own.cpu / others.cpu

type Pair = PairOptions & {
  sides: readonly [Setting, Setting]
  clients: readonly number[]
  section: Pick<Section, 'name' | 'about' | 'columns'>
  value: (own: Figures, others: Figures) => number
}

async function pair(
  { load }: Pick<Bench, 'load'>,
  { frame, operations, sides: settings, clients, section, value }: Pair,
): Promise<Section> {
  const { reporter, rounds, seconds } = frame
  await using cleanup = new AsyncDisposableStack()
  const sides = await openSides({ load, cleanup }, { frame, operations, settings, name: section.name })
  await reporter.step(`In turns: ${section.name}`, async () => {
    await warmSides(sides, seconds * WARM)
    for (let round = 0; round < rounds; round++) await measureRound(sides, { operations, clients, seconds })
  })
  return { ...section, ...compared(sides, { operations, clients, value }) }
}

/** Starts both stacks; `cleanup` stops them. */
export async function openSides(
  { load, cleanup }: Pick<Bench, 'load'> & { cleanup: AsyncDisposableStack },
  {
    frame: { out, reporter },
    operations,
    settings,
    name,
  }: { frame: Frame; operations: readonly OperationName[]; settings: Pair['sides']; name: string },
): Promise<Sides> {
  const open = async (setting: Setting, directory: string): Promise<Side> => {
    const platform = await startPlatform({
      ...setting,
      directory: join(out, '..', directory),
      reporter: plainReporter(() => undefined),
    })
    cleanup.defer(() => platform.stop())
    const subjects = operationsOn(platform, load).filter((subject) =>
      (operations as readonly string[]).includes(subject.name),
    )
    return { platform, subjects, groups: platform.groups, idle: {}, samples: new Map() }
  }
  return reporter.step(
    `Two stacks: ${name}`,
    async () => [await open(settings[0], 'bench-one'), await open(settings[1], 'bench-other')] as const,
  )
}

/** Gets both sides warm, and finds out what they use when nobody asks. */
export async function warmSides(sides: Sides, seconds: number): Promise<void> {
  for (const { subjects } of sides) await warmUp(subjects, { clients: BUSY, seconds })
  await Promise.all(sides.map(async (side) => (side.idle = await idleOf(side.groups, 3))))
}

type Turn = { operations: readonly OperationName[]; clients: readonly number[]; seconds: number }

/** Measures each operation once with each number of clients, one side after the other. */
export async function measureRound(sides: Sides, { operations, clients, seconds }: Turn): Promise<void> {
  for (const operation of operations)
    for (const each of clients)
      for (const { subjects, groups, idle, samples } of sides) {
        const subject = subjects.find(({ name }) => name === operation)!
        const one = await sample(subject, { clients: each, seconds, groups, idle })
        const key = keyOf(operation, each)
        samples.set(key, [...(samples.get(key) ?? []), one])
      }
}

/** The lines and values of a section: round by round, because what disturbs the machine for a while meets both sides. */
export function compared(
  [one, other]: Sides,
  { operations, clients, value }: Pick<Pair, 'operations' | 'clients' | 'value'>,
): Pick<Section, 'lines' | 'values'> {
  const rows = operations.flatMap((operation) =>
    clients.map((each) => {
      const [own, others] = [figuresOf(one, operation, each), figuresOf(other, operation, each)]
      const results = own.map((figures, round) => value(figures, others[round] ?? figures))
      return { operation, each, own: middle(own), others: middle(others), results }
    }),
  )
  return {
    lines: rows.map(({ operation, each, own, others, results }) => [
      operation,
      each,
      Math.round(own.perSecond),
      Math.round(others.perSecond),
      median(results).toFixed(2),
      quartiles(results),
      digits(own.cpu),
      digits(others.cpu),
    ]),
    values: Object.fromEntries(
      rows.map(({ operation, each, results }) => [keyOf(operation, each), median(results)]),
    ),
  }
}

/** Between which half of the rounds lie. */
export function quartiles(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.round((sorted.length - 1) * share)] ?? NaN
  return `${at(0.25).toFixed(2)}–${at(0.75).toFixed(2)}`
}

/** Under which a section has the value of an operation: by itself where the machine is busy. */
export const keyOf = (operation: OperationName, clients: number): string =>
  clients === BUSY ? operation : `${operation}, ${clients === 1 ? 'quiet' : `${clients} clients`}`

/** Of each round. */
export const figuresOf = (
  { subjects, samples }: Side,
  operation: OperationName,
  clients: number,
): Figures[] =>
  (samples.get(keyOf(operation, clients)) ?? []).map((one) => {
    const subject = subjects.find(({ name }) => name === operation)!
    const { perSecond, cpu } = rowOf(subject, clients, [one])
    return { perSecond, cpu }
  })

const middle = (figures: readonly Figures[]): Figures => ({
  perSecond: median(figures.map(({ perSecond }) => perSecond)),
  cpu: median(figures.map(({ cpu }) => cpu)),
})
