import { join } from 'node:path'
import pg from 'pg'
import { until } from '../../dev/process/wait.ts'
import type * as progress from '../../dev/progress.ts'
import type * as launcher from '../../dev/stack.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { Api, expectOk } from '../support/api.ts'
import { seedRestaurants, pickup } from '../support/fixtures.ts'
import { processGroupsOf } from '../support/processes.ts'
import { print } from '../support/stack.ts'
import { checkOut, ROOT } from './commit.ts'
import { fillAuthorizations, fillOrders, fillRestaurants } from './fill.ts'
import { scenarioOf, type Context } from './operations.ts'

const ORDERS_OF_USER = 200
/** The processes whose CPU is the cost of an operation. The payment processor is excluded, because it is a third party. */
export const PLATFORM = [...serviceNames, 'postgres', 'rabbitmq', 'redis'] as const

export type Setting = {
  replicas?: number
  /** Traces, metrics and logs, at the default sampling; default: true. */
  hasTelemetry?: boolean
  /** Starts the stack of this commit instead of the working tree. */
  commit?: string
  /** Rows that are stored before the measurement. */
  stored?: { orders: number; restaurants: number }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

/**
 * Starts a stack with the settings of production and the data for the operations, in a directory of `.run`. `telemetry` is the
 * receiver. `cleanup` stops the stack.
 */
export async function startPlatform(
  cleanup: AsyncDisposableStack,
  place: { directory: string; telemetry: string },
  { replicas = 1, hasTelemetry = true, commit, stored }: Setting,
) {
  const tree = commit === undefined ? ROOT : checkOut(commit)
  const { startStack } = (await import(join(tree, 'dev/stack.ts'))) as typeof launcher
  const { plainReporter } = (await import(join(tree, 'dev/progress.ts'))) as typeof progress
  const stack = await startStack({
    runDirectory: join(ROOT, '.run', place.directory),
    reporter: plainReporter(() => undefined),
    replicas,
    fresh: true,
    env: environment(hasTelemetry ? place.telemetry : null),
  })
  cleanup.defer(() => stack.stop())
  const database = new pg.Pool({ connectionString: stack.file.urls.postgres, max: 2 })
  database.on('error', (error) => print(`The bench lost a connection to PostgreSQL: ${error.message}`))
  cleanup.defer(() => database.end())
  const context = await placeOrders(stack.file)
  if (stored) {
    await settled(database)
    await fillRestaurants(database, 'catalog', { count: stored.restaurants, like: seedRestaurants.aurora })
    await fillOrders(database, 'orders', { ...stored, users: 10_000 })
    await fillAuthorizations(database, 'payments', stored.orders)
  }
  return {
    stack,
    groups: processGroupsOf(stack),
    context,
    /** Resolves when every saga has finished: a saga continues after its response. */
    settled: () => settled(database),
  }
}

function environment(telemetry: string | null): Record<string, Record<string, string>> {
  const variables = {
    LOG_LEVEL: 'warn',
    RATE_LIMIT_REQUESTS: '1000000000',
    // A console order that no person starts is cancelled, here only after the run.
    TAKE_DEADLINE_MS: '86400000',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
    ...(telemetry !== null && { OTEL_EXPORTER_OTLP_ENDPOINT: telemetry }),
  }
  return Object.fromEntries([...serviceNames, 'processor'].map((name) => [name, variables]))
}

async function placeOrders(stack: StackFile): Promise<Context> {
  const api = new Api(() => stack)
  await api.linkConsole(seedRestaurants.aurora)
  const itemApiKey = await api.plainItem(seedRestaurants.aurora)
  const { apiKey: userApiKey } = await api.register()
  const order = pickup(seedRestaurants.aurora, itemApiKey, { recipient: { apiKey: userApiKey } })
  for (let placed = 0; placed < ORDERS_OF_USER; placed += 8)
    for (const sent of await Promise.all(Array.from({ length: 8 }, () => api.sendOrder(order))))
      expectOk(sent)
  const context = { accessKey: stack.accessKey, itemApiKey, userApiKey, orderApiKey: '', menuEtag: '' }
  const paid = expectOk(await api.sendOrder(scenarioOf('card-order').order?.(context)))
  const menu = await api.call(scenarioOf('menu').path(context))
  return { ...context, orderApiKey: paid.apiKey, menuEtag: menu.headers.get('etag') ?? '' }
}

const settled = (database: pg.Pool): Promise<void> =>
  until(
    async () => {
      const { rows } = await database.query<{ running: number }>(
        'select count(*)::int as running from orders.sagas where finished_at is null',
      )
      return rows[0]?.running === 0
    },
    { what: 'Finishing all sagas', withinMs: 60_000, everyMs: 100 },
  )
