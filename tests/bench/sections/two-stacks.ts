import { serviceNames } from '../../../dev/stack/services.ts'
import { median } from '../../support/statistics.ts'
import { BUSY, memoryOf, openStacks, type Frame } from '../frame.ts'
import { operationsOn, startLimits } from '../limits.ts'
import { measureInTurns, type Measured, type Samples } from '../measure.ts'
import { CARD_ORDER_LIMITS, scenarioOf, type OperationName } from '../operations.ts'
import { PLATFORM, type Setting } from '../platform.ts'
import { digits, type Section } from '../report.ts'
import { comparison } from './compare.ts'

/** More clients than concurrent orders. */
const CROWD = 64

/** The operations for the comparison of stacks with other replicas or telemetry. */
const PAIRED: readonly OperationName[] = ['menu', 'get-order', 'card-order']

type Pair = {
  name: string
  about: string
  sides: readonly [string, string]
  settings: readonly [Setting, Setting]
  clients: readonly number[]
  result: 'cpu' | 'perSecond'
}

async function pair(frame: Frame, declared: Pair): Promise<Section> {
  await using cleanup = new AsyncDisposableStack()
  const platforms = await openStacks(frame, cleanup, declared.settings)
  const sides = platforms.map((platform) => operationsOn(platform, frame.generator))
  // The ratios are close to 1, so they need more rounds.
  const plan = { ...frame, ...declared, subjects: PAIRED, rounds: frame.rounds * 2 }
  const [own, other] = await measureInTurns(sides, plan)
  const others = (subject: string, clients: number) => [other!.samplesOf(subject, clients)]
  return comparison({ ...declared, subjects: PAIRED, own: own!.samplesOf, others })
}

/** Compares two replicas of each service with one, on a quiet machine and on a machine with busy cores. */
export const replicas = (frame: Frame): Promise<Section> =>
  pair(frame, {
    name: 'replicas',
    about: 'Two replicas of each service beside one of each, on the same machine.',
    sides: ['two', 'one'],
    settings: [{ replicas: 2, telemetry: frame.telemetry }, { telemetry: frame.telemetry }],
    clients: [1, BUSY],
    result: 'perSecond',
  })

/** Compares telemetry at the default sampling with no telemetry. */
export const tracing = (frame: Frame): Promise<Section> =>
  pair(frame, {
    name: 'tracing',
    about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
    sides: ['on', 'off'],
    settings: [{ telemetry: frame.telemetry }, { telemetry: null }],
    clients: [BUSY],
    result: 'cpu',
  })

/** Compares the operations with their limits, in turns. */
export async function operations(frame: Frame): Promise<Section[]> {
  await using cleanup = new AsyncDisposableStack()
  const [platform] = await openStacks(frame, cleanup, [{ telemetry: frame.telemetry }])
  const side = await startLimits(platform!, cleanup, frame)
  const limits = new Set(frame.operations.flatMap((name) => scenarioOf(name).limits))
  const plan = { ...frame, name: 'operations', subjects: [...frame.operations, ...limits] }
  const clients = [1, BUSY, CROWD]
  const [measured] = await measureInTurns([side], { ...plan, clients })
  const { samplesOf } = measured!
  const limitsOf = (subject: string) =>
    frame.operations.filter((name) => name === subject).flatMap((name) => scenarioOf(name).limits)
  const groups = [...PLATFORM, 'processor']
  return [
    comparison({
      ...plan,
      about: 'An operation against the sum of its limits. The limits follow.',
      clients,
      own: samplesOf,
      others: (subject, each) => limitsOf(subject).map((limit) => samplesOf(limit, each)),
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
            digits(median(samplesOf(name, each).map((one) => one.cpuByGroup[group] ?? 0))),
          ),
        ]),
      ),
      values: {},
    },
  ]
}

/** The starts of each commit. One start of the gateway may use 1.5 times the CPU of another (docs/performance.md). */
const STARTS = 2

/**
 * Compares the working tree with another commit, both with telemetry and started twice. It measures the CPU of each operation, the
 * memory of the services, and the least work of any design of a card order.
 */
export async function againstCommit(frame: Frame, commit: string): Promise<Section[]> {
  const { telemetry, generator } = frame
  await using cleanup = new AsyncDisposableStack()
  const settings: Setting[] = Array.from({ length: STARTS }, () => [
    { telemetry },
    { telemetry, commit },
  ]).flat()
  const platforms = await openStacks(frame, cleanup, settings)
  const [first, ...others] = platforms
  const limits = await startLimits(first!, cleanup, frame)
  const sides = [limits, ...others.map((platform) => operationsOn(platform, generator))]
  const subjects = frame.operations
  const hasLimits = subjects.includes('card-order')
  const memory: Record<string, number>[][] = []
  const plan = { ...frame, name: 'against-commit', clients: [BUSY, CROWD] }
  const measured = await measureInTurns(sides, {
    ...plan,
    subjects: [...subjects, ...(hasLimits ? CARD_ORDER_LIMITS : [])],
    afterRound: () => void memory.push(platforms.slice(0, 2).map(memoryOf)),
  })
  const [now, then] = nowAndThen(measured).map(pooled) as [Samples, Samples]
  const ofFirst = measured[0]!.samplesOf
  return [
    comparison({
      ...plan,
      about: `This working tree beside commit ${commit}: ${STARTS} starts of each, taking turns on the same machine.`,
      subjects,
      own: now,
      others: (subject, clients) => [then(subject, clients)],
      sides: ['now', 'then'],
      result: 'cpu',
    }),
    comparison({
      ...plan,
      name: 'limit',
      about: 'A card order of this working tree against the least work that any design of it needs.',
      subjects: hasLimits ? ['card-order'] : [],
      own: ofFirst,
      others: (_, clients) => CARD_ORDER_LIMITS.map((part) => ofFirst(part, clients)),
      sides: ['card order', 'limit'],
      result: 'cpu',
    }),
    memoryAgainst(memory),
  ]
}

/** The starts of the working tree, and those of the other commit: they alternate. */
const nowAndThen = <T>(starts: readonly T[]): [now: T[], then: T[]] => [
  starts.filter((_, at) => at % 2 === 0),
  starts.filter((_, at) => at % 2 === 1),
]

const pooled =
  (starts: readonly Measured[]): Samples =>
  (subject, clients) =>
    starts.flatMap(({ samplesOf }) => samplesOf(subject, clients))

/** `rounds` has the memory of the services of one start of each commit. */
function memoryAgainst(rounds: readonly (readonly Record<string, number>[])[]): Section {
  const medianOf = (side: number, names: readonly string[]) =>
    median(rounds.map((sides) => names.reduce((sum, name) => sum + (sides[side]?.[name] ?? 0), 0)))
  const line = (label: string, names: readonly string[]) => {
    const [now, then] = [medianOf(0, names), medianOf(1, names)]
    return [label, now, then, (now / then).toFixed(2)]
  }
  return {
    name: 'memory-against',
    about: 'Resident MB of the services after each round of the same operations: the median of the rounds.',
    columns: ['', 'now', 'then', 'now / then'],
    lines: [...serviceNames.map((name) => line(name, [name])), line('all together', serviceNames)],
    values: { all: medianOf(0, serviceNames) / medianOf(1, serviceNames) },
  }
}
