import { serviceNames } from '../../../dev/stack/services.ts'
import { median, sample } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { cardOrderLimits, startOrderLimits, type OrderLimits } from '../order-limits.ts'
import { residentOf } from '../processes.ts'
import { digits, type Section } from '../report.ts'
import type { Bench } from '../subjects.ts'
import {
  BUSY,
  columnsOf,
  compared,
  cpuRatio,
  figuresOf,
  measureRound,
  openSides,
  quartiles,
  warmSides,
  type Frame,
  type Side,
} from './pairs.ts'

/** What the targets against another commit name. */
export const comparable = [
  'menu',
  'menu-unchanged',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'get-order',
] as const satisfies readonly OperationName[]

const CROWD = 64
const clients = [BUSY, CROWD]

type Compared = { commit: string; operations: readonly OperationName[] }
/** By service, MB of each look. */
type Memory = Record<string, number>[]

/**
 * The working tree and another commit side by side, both with telemetry at the default sampling: CPU of each operation,
 * memory of the services, and beside a card order the least that any design has to do.
 */
export async function againstCommit(
  { load }: Pick<Bench, 'load'>,
  frame: Frame,
  { commit, operations }: Compared,
): Promise<Section[]> {
  const { reporter, rounds, seconds, telemetry } = frame
  await using cleanup = new AsyncDisposableStack()
  const settings = [{ telemetry }, { telemetry, commit }] as const
  const sides = await openSides({ load, cleanup }, { frame, operations, settings, name: 'against-commit' })
  const [now] = sides
  const limits = operations.includes('card-order')
    ? await startOrderLimits(now.platform.stack, cleanup)
    : null
  const parts: Parts = new Map()
  const memory: [Memory, Memory] = [[], []]
  await reporter.step('Getting warm: against-commit', () => warmSides(sides, seconds * 2))
  for (let round = 0; round < rounds; round++)
    await reporter.step(`Round ${round + 1} of ${rounds}: against-commit`, async () => {
      await measureRound(sides, { operations, clients, seconds })
      if (limits) await measureLimits(limits, { side: now, seconds, parts })
      for (const [at, side] of sides.entries()) memory[at]?.push(residentOf(servicesOf(side)))
    })
  return [
    {
      name: 'against-commit',
      about: `This working tree beside commit ${commit}, taking turns on the same machine.`,
      columns: columnsOf('now', 'then', 'now / then, CPU'),
      ...compared(sides, { operations, clients, value: cpuRatio }),
    },
    ...(limits ? [limitSection(now, parts)] : []),
    memorySection(memory),
  ]
}

/** CPU of each round, by part and number of clients. */
type Parts = Map<string, number[]>
const partKey = (part: string, each: number) => `${part}, ${each}`

async function measureLimits(
  { subjects, groups }: OrderLimits,
  { side, seconds, parts }: { side: Side; seconds: number; parts: Parts },
): Promise<void> {
  for (const each of clients)
    for (const part of cardOrderLimits) {
      const subject = subjects.find(({ name }) => name === part)!
      const { total } = await sample(subject, {
        clients: each,
        seconds,
        groups: { ...side.groups, ...groups },
        idle: side.idle,
      })
      const key = partKey(part, each)
      parts.set(key, [...(parts.get(key) ?? []), total])
    }
}

/** A card order of the working tree against the sum of its parts, round by round. */
function limitSection(now: Side, parts: Parts): Section {
  const measured = clients.map((each) => {
    const of = cardOrderLimits.map((part) => parts.get(partKey(part, each)) ?? [])
    const orders = figuresOf(now, 'card-order', each).map(({ cpu }) => cpu)
    const ratios = orders.map(
      (cpu, round) => cpu / of.reduce((sum, rounds) => sum + (rounds[round] ?? NaN), 0),
    )
    return { each, parts: of.map(median), order: median(orders), ratios }
  })
  return {
    name: 'limit',
    about: 'A card order of this working tree against the least that any design of it has to do, CPU ms.',
    columns: ['clients', ...cardOrderLimits, 'card order', 'card order / limit', 'quartiles'],
    lines: measured.map(({ each, parts: of, order, ratios }) => [
      each,
      ...of.map(digits),
      digits(order),
      median(ratios).toFixed(2),
      quartiles(ratios),
    ]),
    values: Object.fromEntries(
      measured.map(({ each, ratios }) => [
        each === BUSY ? 'card-order' : `card-order, ${each} clients`,
        median(ratios),
      ]),
    ),
  }
}

const servicesOf = ({ groups }: Side) =>
  Object.fromEntries(serviceNames.map((name) => [name, groups[name] ?? (() => [])]))

const memoryLine = (name: string, now: number, before: number) => [
  name,
  now,
  before,
  (now / before).toFixed(2),
]

function memorySection([now, before]: readonly [Memory, Memory]): Section {
  const middle = (looks: Memory, name: string) => median(looks.map((look) => look[name] ?? 0))
  const sum = (looks: Memory) =>
    median(looks.map((look) => serviceNames.reduce((all, name) => all + (look[name] ?? 0), 0)))
  return {
    name: 'memory-against',
    about: 'Resident MB of the services after each round of the same operations: the median of the rounds.',
    columns: ['', 'now', 'then', 'now / then'],
    lines: [
      ...serviceNames.map((name) => memoryLine(name, middle(now, name), middle(before, name))),
      memoryLine('all together', sum(now), sum(before)),
    ],
    values: { all: sum(now) / sum(before) },
  }
}
