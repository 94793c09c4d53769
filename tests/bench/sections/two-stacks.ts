import { median } from '../../support/statistics.ts'
import { BUSY, openStacks, type Frame } from '../frame.ts'
import { operationsOn, startLimits } from '../limits.ts'
import { measureInTurns, type Samples } from '../measure.ts'
import { scenarioOf, type OperationName } from '../operations.ts'
import { PLATFORM, type Setting } from '../platform.ts'
import { digits, type Section } from '../report.ts'
import { comparison, type Comparison } from './compare.ts'

/** More clients than concurrent orders. */
const CROWD = 64

/** The operations for the comparison of stacks with other replicas or telemetry. */
const PAIRED: readonly OperationName[] = ['menu', 'get-order', 'card-order']

type Pair = Omit<Comparison, 'own' | 'others'> & { settings: readonly [Setting, Setting] }

/** The starts of each stack. One start of the gateway may use 1.5 times the CPU of another (docs/performance.md). */
const STARTS = 2

/** Compares two settings of a stack. The starts of both take turns. */
async function pair(frame: Frame, declared: Pair): Promise<Section> {
  await using cleanup = new AsyncDisposableStack()
  const settings = Array.from({ length: STARTS }, () => declared.settings).flat()
  const platforms = await openStacks(frame, cleanup, settings)
  const sides = platforms.map((platform) => operationsOn(platform, frame.generator))
  const measured = await measureInTurns(sides, { ...frame, ...declared })
  const pooled =
    (first: 0 | 1): Samples =>
    (subject, clients) =>
      measured.filter((_, at) => at % 2 === first).flatMap((samplesOf) => samplesOf(subject, clients))
  const others = (subject: string, clients: number) => [pooled(1)(subject, clients)]
  return comparison({ ...declared, own: pooled(0), others })
}

/** Compares two replicas of each service with one, on a quiet machine and on a machine with busy cores. */
export const replicas = (frame: Frame): Promise<Section> =>
  pair(frame, {
    name: 'replicas',
    about: 'Two replicas of each service beside one of each, on the same machine.',
    sides: ['two', 'one'],
    settings: [{ replicas: 2 }, {}],
    subjects: PAIRED,
    clients: [1, BUSY],
    result: 'perSecond',
  })

/** Compares telemetry at the default sampling with no telemetry. */
export const tracing = (frame: Frame): Promise<Section> =>
  pair(frame, {
    name: 'tracing',
    about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
    sides: ['on', 'off'],
    settings: [{}, { hasTelemetry: false }],
    subjects: PAIRED,
    clients: [BUSY],
    result: 'cpu',
  })

/** Compares the working tree with another commit, which starts by its own launcher. */
export const againstCommit = (frame: Frame, commit: string): Promise<Section> =>
  pair(frame, {
    name: 'against-commit',
    about: `This working tree beside commit ${commit}.`,
    sides: ['now', 'then'],
    settings: [{}, { commit }],
    subjects: frame.operations,
    clients: [BUSY, CROWD],
    result: 'cpu',
  })

const MOST = { orders: 1_000_000, restaurants: 10_000 }
const FEWEST = { orders: 1_000, restaurants: 10 }
const SCALED: readonly OperationName[] = [
  'menu',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'card-order-with-key',
  'get-order',
  'order-history',
]

/** Compares a stack with the most stored orders and restaurants with a stack that has the fewest. */
export async function scale(frame: Frame): Promise<Section> {
  const section = await pair(frame, {
    name: 'scale',
    about: `${MOST.orders} orders and ${MOST.restaurants} restaurants beside ${FEWEST.orders} and ${FEWEST.restaurants}.`,
    sides: ['most', 'fewest'],
    settings: [{ stored: MOST }, { stored: FEWEST }],
    subjects: SCALED,
    clients: [BUSY],
    result: 'cpu',
  })
  return { ...section, values: { growth: Math.max(...SCALED.map((name) => section.values[name] ?? NaN)) } }
}

/** Compares the operations with their limits, in turns. */
export async function operations(frame: Frame): Promise<Section[]> {
  await using cleanup = new AsyncDisposableStack()
  const [platform] = await openStacks(frame, cleanup, [{}])
  const side = await startLimits(platform!, cleanup, frame)
  const limits = new Set(frame.operations.flatMap((name) => scenarioOf(name).limits ?? []))
  const plan = { ...frame, name: 'operations', subjects: [...frame.operations, ...limits] }
  const clients = [1, BUSY, CROWD]
  const [samplesOf] = await measureInTurns([side], { ...plan, clients })
  const limitsOf = (subject: string) =>
    frame.operations.filter((name) => name === subject).flatMap((name) => scenarioOf(name).limits ?? [])
  const groups = [...PLATFORM, 'processor']
  return [
    comparison({
      ...plan,
      about: 'An operation against the sum of its limits. The limits follow.',
      clients,
      own: samplesOf!,
      others: (subject, each) => limitsOf(subject).map((limit) => samplesOf!(limit, each)),
      sides: ['operation', 'limit'],
      result: 'cpu',
    }),
    {
      name: 'CPU by process',
      about: 'CPU ms of an operation.',
      columns: ['', 'clients', ...groups],
      lines: frame.operations.flatMap((name) =>
        clients.map((each) => [
          name,
          each,
          ...groups.map((group) =>
            digits(median(samplesOf!(name, each).map((one) => one.cpuByGroup[group] ?? 0))),
          ),
        ]),
      ),
      values: {},
    },
  ]
}
