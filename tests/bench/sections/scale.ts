import { join } from 'node:path'
import { plainReporter, type Reporter } from '../../../dev/progress.ts'
import { fillAuthorizations, fillOrders, fillRestaurants } from '../fill.ts'
import { idleOf, ratioTo, rowOf, sample, warmUp, type Cpu, type Row, type Sample } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import type { Options } from '../options.ts'
import { ours, startPlatform, type Platform } from '../platform.ts'
import { digits, type Section } from '../report.ts'
import { operationsOn, type Subject } from '../subjects.ts'
import type { HttpJob } from '../workers/http-load.ts'
import type { Outcome } from '../workers/loop.ts'
import { Worker } from '../workers/worker.ts'

/* Stacks side by side, of which one has few orders and restaurants and one very many, take the same load in turns. */

const measured: readonly OperationName[] = [
  'menu',
  'restaurant',
  'search',
  'cash-order',
  'card-order',
  'card-order-with-key',
  'get-order',
  'order-history',
]
const CLIENTS = 8
const USERS = 10_000

type Size = Options['sizes'][number]
type Side = {
  size: Size
  /** Of everything in the database, indexes included. */
  megabytes: number
  platform: Platform
  subjects: readonly Subject[]
  idle: Cpu
  samples: Map<OperationName, Sample[]>
}
type Frame = { telemetry: string; reporter: Reporter; root: string }

/** What an operation costs with more and more stored. */
export async function scale(options: Options, frame: Frame): Promise<Section> {
  const cleanup = new AsyncDisposableStack()
  try {
    const load = await Worker.start<HttpJob, Outcome>('http-load.ts')
    cleanup.defer(() => load.stop())
    const sides: Side[] = []
    for (const size of options.sizes) sides.push(await open(size, { ...frame, load, cleanup }))
    await frame.reporter.step('Getting warm', async () => {
      for (const side of sides)
        await warmUp(
          measured.map((operation) => subjectOf(side, operation)),
          { clients: CLIENTS, seconds: options.seconds },
        )
    })
    for (const side of sides) side.idle = await idleOf(side.platform.groups, 4)
    await frame.reporter.step('In turns: scale', () => measure(sides, options))
    return describe(sides)
  } finally {
    await cleanup.disposeAsync()
  }
}

async function open(
  size: Size,
  {
    telemetry,
    reporter,
    root,
    load,
    cleanup,
  }: Frame & { load: Worker<HttpJob, Outcome>; cleanup: AsyncDisposableStack },
): Promise<Side> {
  const { orders, restaurants } = size
  return reporter.step(`A stack with ${orders} orders and ${restaurants} restaurants`, async (step) => {
    const platform = await startPlatform({
      directory: join(root, `.run/bench-scale-${orders}`),
      reporter: plainReporter(() => undefined),
      telemetry,
    })
    cleanup.defer(() => platform.stop())
    await platform.settled()
    const { database, context } = platform
    const from = performance.now()
    await fillRestaurants(database, 'catalog', { count: restaurants, like: context.restaurantApiKey })
    await fillOrders(database, 'orders', { orders, restaurants, users: USERS })
    await fillAuthorizations(database, 'payments', orders)
    const { rows } = await database.query<{ size: number }>(
      'select (pg_database_size(current_database()) / 1048576)::int as size',
    )
    step.result(`filled in ${Math.round((performance.now() - from) / 1_000)} s`)
    return {
      size,
      megabytes: rows[0]?.size ?? 0,
      platform,
      subjects: operationsOn(platform, load),
      idle: {},
      samples: new Map(),
    }
  })
}

async function measure(sides: readonly Side[], { rounds, seconds }: Options): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const operation of measured)
      for (const side of sides) {
        const { platform, idle, samples } = side
        const subject = subjectOf(side, operation)
        const one = await sample(subject, { clients: CLIENTS, seconds, groups: platform.groups, idle })
        samples.set(operation, [...(samples.get(operation) ?? []), one])
      }
}

function describe(sides: readonly Side[]): Section {
  const lines = measured.map((operation) => {
    const rows = sides.map((side) =>
      rowOf(subjectOf(side, operation), CLIENTS, side.samples.get(operation) ?? []),
    )
    return { operation, rows, growth: growthOf(rows) }
  })
  const idle = sides.map((side) => digits(ours.reduce((sum, group) => sum + (side.idle[group] ?? 0), 0)))
  return {
    name: 'scale',
    about:
      'CPU ms of an operation by what is stored; the last column is the most against the fewest, round by round.',
    columns: [
      '',
      ...sides.map(({ size }) => `${size.orders} orders, ${size.restaurants} restaurants`),
      'growth',
    ],
    lines: [
      ...lines.map(({ operation, rows, growth }) => [
        operation,
        ...rows.map(({ cpu }) => digits(cpu)),
        `${growth.value.toFixed(2)} ±${Math.round(growth.noise * 100)} %`,
      ]),
      ['when nobody asks, ms a second', ...idle, ''],
      ['the database, MB', ...sides.map(({ megabytes }) => megabytes), ''],
    ],
    values: {
      worst: Math.max(...lines.map(({ growth }) => growth.value)),
      ...Object.fromEntries(lines.map(({ operation, growth }) => [operation, growth.value])),
    },
  }
}

function growthOf(rows: readonly Row[]): NonNullable<Row['ratio']> {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) throw new Error('a scale needs sizes')
  return ratioTo(last, [first])
}

function subjectOf({ subjects }: Side, operation: OperationName): Subject {
  const subject = subjects.find(({ name }) => name === operation)
  if (!subject) throw new Error(`there is no ${operation}`)
  return subject
}
