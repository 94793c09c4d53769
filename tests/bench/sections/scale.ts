import { cast } from '../../support/cast.ts'
import { median } from '../../support/statistics.ts'
import { openStacks, type Frame } from '../frame.ts'
import { fillAuthorizations, fillOrders, fillRestaurants } from '../fill.ts'
import { operationsOn } from '../limits.ts'
import { cpuRounds, measureInTurns, ratioOf } from '../measure.ts'
import type { OperationName } from '../operations.ts'
import { PLATFORM, type Platform } from '../platform.ts'
import { digits, type Section } from '../report.ts'

const SIZES = [
  { orders: 1_000, restaurants: 10 },
  { orders: 100_000, restaurants: 1_000 },
  { orders: 1_000_000, restaurants: 10_000 },
]
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
const SCALE_CLIENTS = 8

/** Measures the cost of operations by the number of stored orders and restaurants. */
export async function scale(frame: Frame): Promise<Section> {
  await using cleanup = new AsyncDisposableStack()
  const settings = SIZES.map(() => ({ telemetry: frame.telemetry }))
  const platforms = await openStacks(frame, cleanup, settings)
  const megabytes: number[] = []
  for (const [at, size] of SIZES.entries())
    await frame.reporter.step(`${size.orders} orders and ${size.restaurants} restaurants`, async () => {
      megabytes.push(await fillStack(platforms[at]!, size))
    })
  const sides = platforms.map((platform) => operationsOn(platform, frame.generator))
  const measured = await measureInTurns(sides, {
    ...frame,
    name: 'scale',
    subjects: SCALED,
    clients: [SCALE_CLIENTS],
  })
  const rows = SCALED.map((operation) => {
    const rounds = measured.map(({ samplesOf }) => cpuRounds(samplesOf(operation, SCALE_CLIENTS)))
    return { operation, rounds, growth: ratioOf(rounds.at(-1)!, rounds[0]!) }
  })
  const idles = measured.map(({ idle }) =>
    digits(PLATFORM.reduce((sum, group) => sum + (idle[group] ?? 0), 0)),
  )
  return {
    name: 'scale',
    about:
      'CPU ms of an operation by the stored amount; the last column is the most against the least, round by round.',
    columns: ['', ...SIZES.map((size) => `${size.orders} orders, ${size.restaurants} restaurants`), 'growth'],
    lines: [
      ...rows.map(({ operation, rounds, growth }) => [
        operation,
        ...rounds.map((each) => digits(median(each))),
        `${growth.value.toFixed(2)} (${growth.quartiles})`,
      ]),
      ['idle, ms a second', ...idles, ''],
      ['the database, MB', ...megabytes, ''],
    ],
    values: { worst: Math.max(...rows.map(({ growth }) => growth.value)) },
  }
}

/** Fills the database of a stack. Returns its size with all indexes, in MB. */
async function fillStack(
  { database, settled }: Platform,
  { orders, restaurants }: (typeof SIZES)[number],
): Promise<number> {
  await settled()
  await fillRestaurants(database, 'catalog', { count: restaurants, like: cast.aurora })
  await fillOrders(database, 'orders', { orders, restaurants, users: 10_000 })
  await fillAuthorizations(database, 'payments', orders)
  const { rows } = await database.query<{ size: number }>(
    'select (pg_database_size(current_database()) / 1048576)::int as size',
  )
  return rows[0]?.size ?? 0
}
