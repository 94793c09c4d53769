import { serviceNames } from '../../../dev/stack/services.ts'
import { residentOf } from '../../support/processes.ts'
import { median } from '../../support/statistics.ts'
import {
  cpuRounds,
  measureInTurns,
  middle,
  newSide,
  ratioOf,
  samplesOf,
  sumRounds,
  type Plan,
  type Sample,
  type Side,
} from '../measure.ts'
import { CARD_ORDER_LIMITS, type OperationName } from '../operations.ts'
import { digits, type Section } from '../report.ts'
import { operationsOn, orderLimits } from '../subjects.ts'
import { BUSY, keyOf, openStacks, servicesOf, type Frame, type Setting } from './frame.ts'

/** More clients than concurrent orders. */
const CROWD = 64

type Pair = {
  section: Pick<Section, 'name' | 'about'>
  /** The names of the two sides. */
  sides: readonly [string, string]
  settings: readonly [Setting, Setting]
  operations: readonly OperationName[]
  clients: readonly number[]
  /** The figure whose ratio is the result. */
  read: (sample: Sample) => number
  result: string
}

/** Compares two replicas of each service with one, on a quiet machine and on a machine with busy cores. */
export const replicas = (frame: Frame, operations: readonly OperationName[]): Promise<Section> =>
  pair(frame, {
    section: {
      name: 'replicas',
      about: 'Two replicas of each service beside one of each, on the same machine.',
    },
    sides: ['two', 'one'],
    settings: [{ replicas: 2, telemetry: frame.telemetry }, { telemetry: frame.telemetry }],
    operations,
    clients: [1, BUSY],
    read: ({ perSecond }) => perSecond,
    result: 'two / one, a second',
  })

/** Compares telemetry at the default sampling with no telemetry. */
export const tracing = (frame: Frame, operations: readonly OperationName[]): Promise<Section> =>
  pair(frame, {
    section: {
      name: 'tracing',
      about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
    },
    sides: ['on', 'off'],
    settings: [{ telemetry: frame.telemetry }, { telemetry: null }],
    operations,
    clients: [BUSY],
    read: ({ cpu }) => cpu,
    result: 'on / off, CPU',
  })

async function pair(frame: Frame, declared: Pair): Promise<Section> {
  await using cleanup = new AsyncDisposableStack()
  const platforms = await openStacks(frame, cleanup, declared.settings)
  const sides = platforms.map((platform) => newSide(operationsOn(platform, frame.generator)))
  const { operations, clients, section } = declared
  await measureInTurns(sides, { ...frame, name: section.name, subjects: operations, clients })
  return pairSection(sides, declared)
}

const perSecond = (samples: readonly Sample[]) => Math.round(middle(samples, (one) => one.perSecond))
const cpuOf = (samples: readonly Sample[]) => digits(median(cpuRounds(samples)))

function pairSection(
  [own, other]: readonly Side[],
  { section, sides: [ownName, otherName], operations, clients, read, result }: Omit<Pair, 'settings'>,
): Section {
  const rows = operations.flatMap((operation) =>
    clients.map((each) => {
      const [samples, others] = [samplesOf(own!, operation, each), samplesOf(other!, operation, each)]
      return { operation, each, samples, others, ratio: ratioOf(samples.map(read), others.map(read)) }
    }),
  )
  return {
    ...section,
    columns: [
      '',
      'clients',
      `${ownName}: a second`,
      `${otherName}: a second`,
      result,
      'quartiles',
      `${ownName}: CPU ms`,
      `${otherName}: CPU ms`,
    ],
    lines: rows.map(({ operation, each, samples, others, ratio: { value, quartiles } }) => [
      operation,
      each,
      perSecond(samples),
      perSecond(others),
      value.toFixed(2),
      quartiles,
      cpuOf(samples),
      cpuOf(others),
    ]),
    values: Object.fromEntries(
      rows.map(({ operation, each, ratio: { value } }) => [keyOf(operation, each), value]),
    ),
  }
}

/** The operations in the targets for a comparison with a commit. */
export const COMPARED: readonly OperationName[] = [
  'menu',
  'menu-unchanged',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'get-order',
]

/**
 * Compares the working tree with another commit, both with telemetry. It measures the CPU of each operation, the memory of the
 * services, and the least work of any design of a card order.
 */
export async function againstCommit(
  frame: Frame,
  { commit, operations }: { commit: string; operations: readonly OperationName[] },
): Promise<Section[]> {
  const { telemetry, generator } = frame
  await using cleanup = new AsyncDisposableStack()
  const [now, then] = await openStacks(frame, cleanup, [{ telemetry }, { telemetry, commit }])
  const hasLimits = operations.includes('card-order')
  const limits = hasLimits ? await orderLimits(now!, cleanup) : { subjects: [], groups: {} }
  const sides = [newSide(operationsOn(now!, generator), limits), newSide(operationsOn(then!, generator))]
  const measurements: Measurement[][] = [[], []]
  const clients = [BUSY, CROWD]
  const plan: Plan = {
    ...frame,
    name: 'against-commit',
    subjects: [...operations, ...(hasLimits ? CARD_ORDER_LIMITS : [])],
    clients,
    afterRound: () => sides.forEach((side, at) => measurements[at]!.push(residentOf(servicesOf(side)))),
  }
  await measureInTurns(sides, plan)
  return [
    pairSection(sides, {
      section: {
        name: 'against-commit',
        about: `This working tree beside commit ${commit}, taking turns on the same machine.`,
      },
      sides: ['now', 'then'],
      operations,
      clients,
      read: ({ cpu }) => cpu,
      result: 'now / then, CPU',
    }),
    ...(hasLimits ? [limitSection(sides[0]!, clients)] : []),
    memoryAgainst(measurements[0]!, measurements[1]!),
  ]
}

/** Compares a card order with the sum of its parts, round by round. */
function limitSection(side: Side, clients: readonly number[]): Section {
  const rows = clients.map((each) => {
    const parts = CARD_ORDER_LIMITS.map((part) => cpuRounds(samplesOf(side, part, each)))
    const order = cpuRounds(samplesOf(side, 'card-order', each))
    return { each, parts, order, ratio: ratioOf(order, sumRounds(parts)) }
  })
  return {
    name: 'limit',
    about: 'A card order of this working tree against the least work that any design of it needs, CPU ms.',
    columns: ['clients', ...CARD_ORDER_LIMITS, 'card order', 'card order / limit', 'quartiles'],
    lines: rows.map(({ each, parts, order, ratio: { value, quartiles } }) => [
      each,
      ...parts.map((rounds) => digits(median(rounds))),
      digits(median(order)),
      value.toFixed(2),
      quartiles,
    ]),
    values: Object.fromEntries(rows.map(({ each, ratio }) => [keyOf('card-order', each), ratio.value])),
  }
}

type Measurement = Readonly<Record<string, number>>

function memoryAgainst(now: readonly Measurement[], then: readonly Measurement[]): Section {
  const all = (measurement: Measurement) =>
    serviceNames.reduce((sum, name) => sum + (measurement[name] ?? 0), 0)
  const line = (name: string, read: (measurement: Measurement) => number) => {
    const [own, other] = [median(now.map(read)), median(then.map(read))]
    return [name, own, other, (own / other).toFixed(2)]
  }
  return {
    name: 'memory-against',
    about: 'Resident MB of the services after each round of the same operations: the median of the rounds.',
    columns: ['', 'now', 'then', 'now / then'],
    lines: [
      ...serviceNames.map((name) => line(name, (measurement) => measurement[name] ?? 0)),
      line('all together', all),
    ],
    values: { all: median(now.map(all)) / median(then.map(all)) },
  }
}
