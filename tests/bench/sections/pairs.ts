import { join } from 'node:path'
import { plainReporter, type Reporter } from '../../../dev/progress.ts'
import { idleOf, median, rowOf, sample, warmUp, type Cpu, type Sample } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { startPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import { digits, type Section } from '../report.ts'
import { operationsOn, type Bench, type Subject } from '../subjects.ts'

/*
 * Two stacks side by side that take the same load in turns: what another setting costs. Both are new and have done
 * the same: one that has done everything before has compiled other code than one that knows three operations only.
 */

const measured: readonly OperationName[] = ['menu', 'get-order', 'card-order']
/** Everything that `--against-commit` compares. */
const comparable: readonly OperationName[] = [
  'menu',
  'menu-unchanged',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'get-order',
]
const BUSY = 16
const CROWD = 64
/** As long again as elsewhere, so many times: two replicas share the requests that get them warm. */
const WARM = 3

type Frame = { out: string; seconds: number; rounds: number; reporter: Reporter; telemetry: string }

/**
 * Two replicas of each service, against one of each: with one client, which leaves the machine quiet, and with as many as
 * keep both cores busy, where twice as many processes share as much CPU and half as much comes together in each commit.
 */
export const replicas = (bench: Bench, frame: Frame): Promise<Section> =>
  pair(bench, {
    frame,
    sides: [{ telemetry: frame.telemetry }, { replicas: 2, telemetry: frame.telemetry }],
    clients: [1, BUSY],
    section: {
      name: 'replicas',
      about: 'Two replicas of each service beside one of each, on the same machine.',
      columns: ['', 'clients', 'one: a second', 'two: a second', 'two / one', 'one: CPU ms', 'two: CPU ms'],
    },
    value: (own, others) => others.perSecond / own.perSecond,
  })

/** Telemetry at the default sampling, sent to a receiver, against none. */
export const tracing = (bench: Bench, frame: Frame): Promise<Section> =>
  pair(bench, {
    frame,
    sides: [{ telemetry: frame.telemetry }, { telemetry: null }],
    clients: [BUSY],
    section: {
      name: 'tracing',
      about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
      columns: ['', 'clients', 'on: a second', 'off: a second', 'on / off, CPU', 'on: CPU ms', 'off: CPU ms'],
    },
    value: (own, others) => own.cpu / others.cpu,
  })

/** The working tree against another commit, with telemetry at the default sampling. */
export const againstCommit = (bench: Pick<Bench, 'load'>, frame: Frame, commit: string): Promise<Section> =>
  pair(bench, {
    frame,
    operations: comparable,
    sides: [{ telemetry: frame.telemetry }, { telemetry: frame.telemetry, commit }],
    clients: [BUSY, CROWD],
    section: {
      name: 'against-commit',
      about: `This working tree beside commit ${commit}, taking turns on the same machine.`,
      columns: [
        '',
        'clients',
        'now: a second',
        'then: a second',
        'now / then, CPU',
        'now: CPU ms',
        'then: CPU ms',
      ],
    },
    value: (own, others) => own.cpu / others.cpu,
  })

type Figures = { perSecond: number; cpu: number }
type Setting = Pick<PlatformOptions, 'replicas' | 'telemetry' | 'commit'>
type Pair = {
  frame: Frame
  operations?: readonly OperationName[]
  sides: readonly [Setting, Setting]
  clients: readonly number[]
  section: Pick<Section, 'name' | 'about' | 'columns'>
  value: (own: Figures, others: Figures) => number
}

async function pair(
  { load }: Pick<Bench, 'load'>,
  { frame, operations = measured, sides, clients, section, value }: Pair,
): Promise<Section> {
  const { reporter, rounds, seconds } = frame
  const cleanup = new AsyncDisposableStack()
  const open = async (setting: Setting, name: string): Promise<Side> => {
    const directory = join(frame.out, `../bench-${name}`)
    const platform = await startPlatform({
      ...setting,
      directory,
      reporter: plainReporter(() => undefined),
    })
    cleanup.defer(() => platform.stop())
    return { subjects: subjectsOn(platform, load, operations), groups: platform.groups, samples: new Map() }
  }
  try {
    const opened = await reporter.step(
      `Two stacks: ${section.name}`,
      async () => [await open(sides[0], 'one'), await open(sides[1], 'other')] as const,
    )
    await reporter.step(`In turns: ${section.name}`, () =>
      measureSides(opened, { operations, rounds, seconds, clients }),
    )
    const lines = operations.flatMap((operation) =>
      clients.map((each) => {
        const [own, others] = [figuresOf(opened[0], operation, each), figuresOf(opened[1], operation, each)]
        // Round by round, as with limits: what disturbs the machine for a while meets both.
        const result = median(own.map((figures, round) => value(figures, others[round] ?? figures)))
        return { operation, each, own: middle(own), others: middle(others), result }
      }),
    )
    return {
      ...section,
      lines: lines.map(({ operation, each, own, others, result }) => [
        operation,
        each,
        Math.round(own.perSecond),
        Math.round(others.perSecond),
        result.toFixed(2),
        digits(own.cpu),
        digits(others.cpu),
      ]),
      values: Object.fromEntries(
        lines.map(({ operation, each, result }) => [keyOf(operation, each), result]),
      ),
    }
  } finally {
    await cleanup.disposeAsync()
  }
}

/** Under which a section has the value of an operation: by itself where the machine is busy. */
const keyOf = (operation: OperationName, clients: number): string =>
  clients === BUSY ? operation : `${operation}, ${clients === 1 ? 'quiet' : `${clients} clients`}`

const subjectsOn = (
  platform: Platform,
  load: Bench['load'],
  operations: readonly OperationName[],
): Subject[] =>
  operationsOn(platform, load).filter(({ name }) => (operations as readonly string[]).includes(name))

type Side = { subjects: readonly Subject[]; groups: Bench['groups']; samples: Map<string, Sample[]> }

type Turns = {
  operations: readonly OperationName[]
  rounds: number
  seconds: number
  clients: readonly number[]
}

async function measureSides(sides: readonly Side[], { operations, rounds, seconds, clients }: Turns) {
  for (const { subjects } of sides) await warmUp(subjects, { clients: BUSY, seconds: seconds * WARM })
  const idles: Cpu[] = await Promise.all(sides.map(({ groups }) => idleOf(groups, 3)))
  const asked = operations.flatMap((operation) => clients.map((each) => ({ operation, each })))
  for (let round = 0; round < rounds; round++)
    for (const { operation, each } of asked)
      for (const [at, { subjects, groups, samples }] of sides.entries()) {
        const subject = subjects.find(({ name }) => name === operation)!
        const one = await sample(subject, { clients: each, seconds, groups, idle: idles[at] ?? {} })
        const key = keyOf(operation, each)
        samples.set(key, [...(samples.get(key) ?? []), one])
      }
}

const figuresOf = ({ subjects, samples }: Side, operation: OperationName, clients: number): Figures[] =>
  (samples.get(keyOf(operation, clients)) ?? []).map((one) => {
    const subject = subjects.find(({ name }) => name === operation)!
    const { perSecond, cpu } = rowOf(subject, clients, [one])
    return { perSecond, cpu }
  })

const middle = (figures: readonly Figures[]): Figures => ({
  perSecond: median(figures.map(({ perSecond }) => perSecond)),
  cpu: median(figures.map(({ cpu }) => cpu)),
})
