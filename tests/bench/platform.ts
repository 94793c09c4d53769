import pg from 'pg'
import { until } from '../../dev/process/wait.ts'
import type { Reporter } from '../../dev/progress.ts'
import { startStack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { Api, expectOk } from '../support/api.ts'
import { cast, person, pickup } from '../support/cast.ts'
import { processGroupsOf, type Groups } from '../support/processes.ts'
import { stackOfCommit } from './commit.ts'
import { scenarioOf, type Context } from './operations.ts'

const ORDERS_OF_USER = 200
/** The processes whose CPU is the cost of an operation. The payment processor is excluded, because it is a third party. */
export const PLATFORM = [...serviceNames, 'postgres', 'rabbitmq', 'redis'] as const

export type PlatformOptions = {
  directory: string
  reporter: Reporter
  replicas?: number
  /** The receiver of traces, metrics and logs, at the default sampling. Null disables telemetry. */
  telemetry: string | null
  /** Starts the stack of this commit instead of the working tree. */
  commit?: string
}

/** Variables by process. */
export type Environment = Record<string, Record<string, string>>

/** A running stack. Another process may have started it. The URLs are those of the superuser. */
export type ServedStack = {
  gateway: string
  gateways: readonly string[]
  operatorKey: string
  accessKey: string
  postgres: string
  rabbitmq: string
  pids: Readonly<Record<string, readonly number[]>>
}

/** A stack with the settings of production, and the data for the operations. */
export type Platform = {
  stack: ServedStack
  groups: Groups
  context: Context
  database: pg.Pool
  /** Resolves when every saga has finished: a saga continues after its response. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { reporter, commit } = options
  const env = environment(options)
  const started = await (commit === undefined
    ? ownStack(options, env)
    : stackOfCommit({ ...options, commit, env }))
  const { stack, groups } = started
  const database = new pg.Pool({ connectionString: stack.postgres, max: 2 })
  database.on('error', (error) =>
    reporter.print(`The bench lost a connection to PostgreSQL: ${error.message}`),
  )
  const stop = async () => {
    await database.end()
    await started.stop()
  }
  try {
    const context = await reporter.step('Data for the operations', () => fill(stack))
    return { stack, groups, context, database, settled: () => settled(database), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ownStack({ directory, reporter, replicas = 1 }: PlatformOptions, env: Environment) {
  const started = await startStack({ runDirectory: directory, reporter, replicas, fresh: true, env })
  const { gateway, gateways, operatorKey, accessKey, urls, processes } = { ...started, ...started.file }
  const { postgres, rabbitmq } = urls
  return {
    stack: { gateway, gateways, operatorKey, accessKey, postgres, rabbitmq, pids: processes },
    groups: processGroupsOf(started),
    stop: () => started.stop(),
  }
}

const environment = ({ telemetry }: PlatformOptions): Environment => {
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

async function fill(stack: ServedStack): Promise<Context> {
  const api = new Api(() => stack)
  await api.linkConsole(cast.aurora)
  const itemApiKey = await api.plainItem(cast.aurora)
  const { apiKey: userApiKey } = expectOk(await api.post<{ apiKey: string }>('register-user', person()))
  const order = pickup(cast.aurora, itemApiKey, { recipient: { apiKey: userApiKey } })
  for (let placed = 0; placed < ORDERS_OF_USER; placed += 8)
    for (const sent of await Promise.all(Array.from({ length: 8 }, () => api.sendOrder(order))))
      expectOk(sent)
  const context = { accessKey: stack.accessKey, itemApiKey, userApiKey, orderApiKey: '', menuEtag: '' }
  const paid = expectOk(await api.sendOrder(scenarioOf('card-order').body?.(context)))
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
