import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Reporter } from '../../dev/progress.ts'
import { startStack, type Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'
import { stackOfCommit } from './commit.ts'
import { requestOf, type Context, type OperationName } from './operations.ts'
import type { Groups } from './processes.ts'

/** The first restaurant of the seed: always open, takes everything, its menu 20 KB. */
const AURORA = 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'
const ORDERS_OF_USER = 200
/** What the work of an operation is done by; the payment processor stands for somebody else's. */
export const ours = [...serviceNames, 'postgres', 'rabbitmq', 'redis'] as const

export type PlatformOptions = {
  directory: string
  reporter: Reporter
  replicas?: number
  /** Where traces, metrics and logs go, at the default sampling; null: telemetry is off. */
  telemetry: string | null
  /** Starts the stack of this commit instead of the working tree's. */
  commit?: string
}

/** Variables by process. */
export type Environment = Record<string, Record<string, string>>

/** What the bench needs to know of a running stack, also of one that another process has started. */
export type ServedStack = {
  gateway: string
  gateways: readonly string[]
  operatorKey: string
  accessKey: string
  /** URLs, as superuser. */
  postgres: string
  rabbitmq: string
  pids: Readonly<Record<string, readonly number[]>>
}

/** A stack in the settings of production, with the data that the operations ask for. */
export type Platform = {
  stack: ServedStack
  groups: Groups
  context: Context
  database: pg.Pool
  /** What one client gets for an operation. */
  ask: (operation: OperationName) => Promise<{ body: Buffer; headers: Headers }>
  /** Resolves when no saga runs any more: what orders are answered before is a part of their cost. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { reporter } = options
  const {
    stack,
    groups,
    stop: stopStack,
  } = await (options.commit === undefined
    ? ownStack(options)
    : stackOfCommit({ ...options, commit: options.commit, env: environment(options) }))
  const database = new pg.Pool({ connectionString: stack.postgres, max: 2 })
  database.on('error', (error) => reporter.say(`The bench lost a connection to PostgreSQL: ${error.message}`))
  const stop = async () => {
    await database.end()
    await stopStack()
  }
  try {
    const context = await reporter.step('Orders to ask for', () => fill(stack))
    return {
      stack,
      groups,
      context,
      database,
      ask: (operation) => ask(stack, operation, context),
      settled: () => settled(database),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ownStack(options: PlatformOptions) {
  const { directory, reporter, replicas = 1 } = options
  const env = environment(options)
  const started = await startStack({ runDirectory: directory, reporter, replicas, fresh: true, env })
  const { gateway, gateways, operatorKey, accessKey, urls, processes } = { ...started, ...started.file }
  const { postgres, rabbitmq } = urls
  return {
    stack: { gateway, gateways, operatorKey, accessKey, postgres, rabbitmq, pids: processes },
    groups: groupsOf(started),
    stop: () => started.stop(),
  }
}

const environment = ({ telemetry }: PlatformOptions): Environment =>
  Object.fromEntries([...serviceNames, 'processor'].map((name) => [name, settings(telemetry)]))

const settings = (telemetry: string | null): Record<string, string> => ({
  LOG_LEVEL: 'warn',
  RATE_LIMIT_REQUESTS: '1000000000',
  // An order that nobody at a console takes would be cancelled in the end.
  TAKE_DEADLINE_MS: '86400000',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.05',
  ...(telemetry !== null && { OTEL_EXPORTER_OTLP_ENDPOINT: telemetry }),
})

/** Everything that works for a stack. */
export const groupsOf = (stack: Stack): Groups => ({
  ...Object.fromEntries(serviceNames.map((name) => [name, () => stack.pids(name)])),
  processor: () => stack.pids('processor'),
  postgres: () => stack.servers.postgres.pids(),
  rabbitmq: () => stack.servers.rabbitmq.pids(),
  redis: () => stack.servers.redis.pids(),
})

async function fill(stack: ServedStack): Promise<Context> {
  const { accessKey } = stack
  let context: Context = {
    accessKey,
    restaurantApiKey: AURORA,
    itemApiKey: '',
    userApiKey: '',
    orderApiKey: '',
    menuEtag: '',
  }
  await takeAtConsole(stack)
  const menu = await ask(stack, 'menu', context)
  context = { ...context, itemApiKey: plainItem(menu.body), menuEtag: menu.headers.get('etag') ?? '' }
  const { apiKey: userApiKey } = await post(stack, 'register-user', {
    firstName: 'Maria',
    lastName: 'Lindqvist',
    phone: '608-555-0142',
    email: `maria.${crypto.randomUUID()}@example.org`,
    password: 'a long enough password',
  })
  const template = JSON.parse(requestOf('cash-order', context, 0).body ?? '') as object
  for (let placed = 0; placed < ORDERS_OF_USER; placed += 8)
    await Promise.all(
      Array.from({ length: 8 }, () =>
        post(stack, 'send-order', { ...template, recipient: { apiKey: userApiKey } }),
      ),
    )
  const paid = await ask(stack, 'card-order', context)
  const { apiKey: orderApiKey } = JSON.parse(paid.body.toString()) as { apiKey: string }
  return { ...context, userApiKey, orderApiKey }
}

/** A simulated kitchen has rows of its own, and reports: that is no part of placing an order. */
async function takeAtConsole({ gateway, operatorKey }: ServedStack): Promise<void> {
  const answer = await fetch(`${gateway}/operatorapi/v1/restaurants/${AURORA}/link`, {
    method: 'PUT',
    headers: { 'x-access-token': operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'console', reports: 'detailed' }),
  })
  if (!answer.ok) throw new Error(`the link of the restaurant: ${answer.status} ${await answer.text()}`)
}

type Category = { items: { apiKey: string; customizationGroups: { minCount: number }[] }[] }

function plainItem(menu: Buffer): string {
  const item = (JSON.parse(menu.toString()) as Category[])
    .flatMap(({ items }) => items)
    .find(({ customizationGroups }) => customizationGroups.every(({ minCount }) => minCount === 0))
  if (!item) throw new Error('the restaurant has nothing that can be ordered without a choice')
  return item.apiKey
}

async function post(stack: ServedStack, path: string, body: object): Promise<{ apiKey: string }> {
  const answer = await fetch(`${stack.gateway}/publicapi/v1/${path}`, {
    method: 'POST',
    headers: { 'x-access-token': stack.accessKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text) as { apiKey: string }
}

async function ask(stack: ServedStack, operation: OperationName, context: Context) {
  const { method, path, headers, body, expects } = requestOf(operation, context, 0)
  const answer = await fetch(`${stack.gateway}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== expects) throw new Error(`${operation}: ${answer.status} ${bytes.toString()}`)
  return { body: bytes, headers: answer.headers }
}

const LOOK_EVERY_MS = 100
const SETTLED_WITHIN_MS = 60_000

async function settled(database: pg.Pool): Promise<void> {
  const end = performance.now() + SETTLED_WITHIN_MS
  for (;;) {
    const { rows } = await database.query<{ running: number }>(
      'select count(*)::int as running from orders.sagas where finished_at is null',
    )
    if (rows[0]?.running === 0) return
    if (performance.now() > end) throw new Error(`${rows[0]?.running} sagas have not ended in a minute`)
    await wait(LOOK_EVERY_MS)
  }
}

/** Takes what services send and keeps nothing of it. */
export async function startReceiver(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
