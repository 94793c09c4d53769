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
  type Sample,
  type Side,
} from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { digits, type Section } from '../report.ts'
import { operationsOn } from '../subjects.ts'
import { BUSY, keyOf, openStacks, servicesOf, type Frame, type Setting } from './frame.ts'

/** More clients than concurrent orders. */
const CROWD = 64

/** The operations for the comparison of stacks with other replicas or telemetry. */
const PAIRED: readonly OperationName[] = ['menu', 'get-order', 'card-order']

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
  afterRound?: (sides: readonly Side[]) => void
}

/** Compares two replicas of each service with one, on a quiet machine and on a machine with busy cores. */
export const replicas = (frame: Frame): Promise<Section> =>
  pair(frame, {
    section: {
      name: 'replicas',
      about: 'Two replicas of each service beside one of each, on the same machine.',
    },
    sides: ['two', 'one'],
    settings: [{ replicas: 2, telemetry: frame.telemetry }, { telemetry: frame.telemetry }],
    operations: PAIRED,
    clients: [1, BUSY],
    read: ({ perSecond }) => perSecond,
    result: 'two / one, a second',
  })

/** Compares telemetry at the default sampling with no telemetry. */
export const tracing = (frame: Frame): Promise<Section> =>
  pair(frame, {
    section: {
      name: 'tracing',
      about: 'Telemetry at the default sampling (5 % of traces, all metrics and logs) beside none.',
    },
    sides: ['on', 'off'],
    settings: [{ telemetry: frame.telemetry }, { telemetry: null }],
    operations: PAIRED,
    clients: [BUSY],
    read: ({ cpu }) => cpu,
    result: 'on / off, CPU',
  })

async function pair(frame: Frame, declared: Pair): Promise<Section> {
  await using cleanup = new AsyncDisposableStack()
  const platforms = await openStacks(frame, cleanup, declared.settings)
  const sides = platforms.map((platform) => newSide(operationsOn(platform, frame.generator)))
  const { operations, clients, section } = declared
  await measureInTurns(sides, {
    ...frame,
    name: section.name,
    subjects: operations,
    clients,
    afterRound: () => declared.afterRound?.(sides),
  })
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
const COMPARED: readonly OperationName[] = [
  'menu',
  'menu-unchanged',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'get-order',
]

/** Compares the working tree with another commit, both with telemetry: the CPU of each operation, and the memory of the services. */
export async function againstCommit(
  frame: Frame,
  { commit, wanted }: { commit: string; wanted: readonly OperationName[] },
): Promise<Section[]> {
  const { telemetry } = frame
  const operations = COMPARED.filter((name) => wanted.includes(name))
  if (operations.length === 0) throw new Error(`--against-commit measures only ${COMPARED.join(', ')}`)
  const measurements: Measurement[][] = [[], []]
  const compared = await pair(frame, {
    section: {
      name: 'against-commit',
      about: `This working tree beside commit ${commit}, taking turns on the same machine.`,
    },
    sides: ['now', 'then'],
    settings: [{ telemetry }, { telemetry, commit }],
    operations,
    clients: [BUSY, CROWD],
    read: ({ cpu }) => cpu,
    result: 'now / then, CPU',
    afterRound: (sides) => sides.forEach((side, at) => measurements[at]!.push(residentOf(servicesOf(side)))),
  })
  return [compared, memoryAgainst(measurements[0]!, measurements[1]!)]
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
