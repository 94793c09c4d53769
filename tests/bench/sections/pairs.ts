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
const CLIENTS = 16
/** As long again as elsewhere, so many times: two replicas share the requests that get them warm. */
const WARM = 3

type Frame = { out: string; seconds: number; rounds: number; reporter: Reporter; telemetry: string }

/** Two replicas of each service, against one of each. */
export const replicas = (bench: Bench, frame: Frame): Promise<Section> =>
  pair(bench, {
    frame,
    sides: [{ telemetry: frame.telemetry }, { replicas: 2, telemetry: frame.telemetry }],
    section: {
      name: 'replicas',
      about: 'Two replicas of each service beside one of each, on the same machine, 16 clients.',
      columns: ['', 'one: a second', 'two: a second', 'two / one', 'one: CPU ms', 'two: CPU ms'],
    },
    value: (own, others) => others.perSecond / own.perSecond,
  })

/** Telemetry at the default sampling, sent to a receiver, against none. */
export const tracing = (bench: Bench, frame: Frame): Promise<Section> =>
  pair(bench, {
    frame,
    sides: [{ telemetry: frame.telemetry }, { telemetry: null }],
    section: {
      name: 'tracing',
      about:
        'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none, 16 clients.',
      columns: ['', 'on: a second', 'off: a second', 'on / off, CPU', 'on: CPU ms', 'off: CPU ms'],
    },
    value: (own, others) => own.cpu / others.cpu,
  })

type Figures = { perSecond: number; cpu: number }
type Setting = Pick<PlatformOptions, 'replicas' | 'telemetry'>
type Pair = {
  frame: Frame
  sides: readonly [Setting, Setting]
  section: Pick<Section, 'name' | 'about' | 'columns'>
  value: (own: Figures, others: Figures) => number
}

async function pair({ load }: Bench, { frame, sides, section, value }: Pair): Promise<Section> {
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
    return { subjects: subjectsOn(platform, load), groups: platform.groups, samples: new Map() }
  }
  try {
    const opened = await reporter.step(
      `Two stacks: ${section.name}`,
      async () => [await open(sides[0], 'one'), await open(sides[1], 'other')] as const,
    )
    await reporter.step(`In turns: ${section.name}`, () => measureSides(opened, { rounds, seconds }))
    const lines = measured.map((operation) => {
      const [own, others] = [figuresOf(opened[0], operation), figuresOf(opened[1], operation)]
      // Round by round, as with limits: what disturbs the machine for a while meets both.
      const result = median(own.map((figures, round) => value(figures, others[round] ?? figures)))
      return { operation, own: middle(own), others: middle(others), result }
    })
    return {
      ...section,
      lines: lines.map(({ operation, own, others, result }) => [
        operation,
        Math.round(own.perSecond),
        Math.round(others.perSecond),
        result.toFixed(2),
        digits(own.cpu),
        digits(others.cpu),
      ]),
      values: Object.fromEntries(lines.map(({ operation, result }) => [operation, result])),
    }
  } finally {
    await cleanup.disposeAsync()
  }
}

const subjectsOn = (platform: Platform, load: Bench['load']): Subject[] =>
  operationsOn(platform, load).filter(({ name }) => (measured as readonly string[]).includes(name))

type Side = { subjects: readonly Subject[]; groups: Bench['groups']; samples: Map<string, Sample[]> }

async function measureSides(
  sides: readonly Side[],
  { rounds, seconds }: { rounds: number; seconds: number },
) {
  for (const { subjects } of sides) await warmUp(subjects, { clients: CLIENTS, seconds: seconds * WARM })
  const idles: Cpu[] = await Promise.all(sides.map(({ groups }) => idleOf(groups, 3)))
  for (let round = 0; round < rounds; round++)
    for (const operation of measured)
      for (const [at, { subjects, groups, samples }] of sides.entries()) {
        const subject = subjects.find(({ name }) => name === operation)!
        const one = await sample(subject, { clients: CLIENTS, seconds, groups, idle: idles[at] ?? {} })
        samples.set(operation, [...(samples.get(operation) ?? []), one])
      }
}

const figuresOf = ({ subjects, samples }: Side, operation: OperationName): Figures[] =>
  (samples.get(operation) ?? []).map((one) => {
    const { perSecond, cpu } = rowOf(
      subjects.find(({ name }) => name === operation)!,
      CLIENTS,
      [one],
    )
    return { perSecond, cpu }
  })

const middle = (figures: readonly Figures[]): Figures => ({
  perSecond: median(figures.map(({ perSecond }) => perSecond)),
  cpu: median(figures.map(({ cpu }) => cpu)),
})
