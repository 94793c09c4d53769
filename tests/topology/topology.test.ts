import { join } from 'node:path'
import { Bus } from '@platter/bus'
import { createLog } from '@platter/kit'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { withClient } from '../../dev/servers/database.ts'
import type { Stack, StackOptions } from '../../dev/stack.ts'
import { databaseServices } from '../../dev/stack/services.ts'
import { ordersIndexes } from '../../services/orders/src/store/indexes.ts'
import { Api } from '../support/api.ts'
import { LARGEST, fill } from '../plans/fill.ts'
import { readBooks, settled } from '../support/books.ts'
import { orderOf } from '../support/order-clients.ts'
import { startTestStack } from '../support/stack.ts'
import { makeCertificates } from './certificates.ts'
import { SESSIONS, startPgbouncer } from './pgbouncer.ts'
import { startApart, type Apart } from './servers.ts'

/*
 * One stack in the layout of a large platform. Each service has a PostgreSQL cluster, and PgBouncer in transaction mode is in front
 * of three of them. Connections to PostgreSQL, PgBouncer, RabbitMQ and Redis and between the services use TLS.
 */

const ORDERS = 12
/** `npm run large-tables` has 4 million. */
const ROWS = Number(process.env['ROWS'] ?? 20_000)
const IS_LARGE = ROWS >= 1_000_000
const log = createLog('test', 'silent')

let stack: Stack
let apart: Apart

type Variables = Record<string, string>

const secure = (url: string) => `${url}?sslmode=verify-full`

/** Catalog connects directly to its cluster, the others through PgBouncer. Orders builds its indexes without PgBouncer. */
function databaseUrls(pooler: number): Record<(typeof databaseServices)[number], Variables> {
  const pooled = (name: (typeof databaseServices)[number]): Variables => {
    const url = new URL(apart.clusters[name].own)
    url.port = String(pooler)
    url.pathname = `/${name}`
    return { DATABASE_URL: secure(url.href), DATABASE_STATEMENTS: 'unnamed' }
  }
  return {
    catalog: { DATABASE_URL: secure(apart.clusters.catalog.own) },
    accounts: pooled('accounts'),
    orders: { ...pooled('orders'), DATABASE_DIRECT_URL: secure(apart.clusters.orders.own) },
    payments: pooled('payments'),
  }
}

beforeAll(async () => {
  const env: Record<string, Variables> = {}
  const find: StackOptions['find'] = async (context) => {
    const certificates = makeCertificates(join(context.directory, 'certificates'))
    apart = await startApart(certificates, context)
    const pooled = [apart.clusters.accounts.own, apart.clusters.orders.own, apart.clusters.payments.own]
    const databases = databaseUrls(await startPgbouncer(pooled, certificates, context))
    const common = {
      NODE_EXTRA_CA_CERTS: certificates.ca,
      TLS_DIRECTORY: certificates.directory,
      REDIS_URL: apart.rediss,
    }
    for (const name of databaseServices)
      env[name] = { ...common, ...databases[name], AMQP_URL: apart.amqps[name] ?? '' }
    env['gateway'] = common
    // The processor and the simulators call the gateway.
    env['processor'] = env['simulators'] = { NODE_EXTRA_CA_CERTS: certificates.ca }
    setDefaultCACertificates([...rootCertificates, readFileSync(certificates.ca, 'utf8')])
    return apart.servers
  }
  stack = await startTestStack('topology', { find, env, https: true })
}, 180_000)

afterAll(() => stack.stop(), 60_000)

const countOf = (url: string, query: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(query)
    return rows[0]?.count ?? Number.NaN
  })

const countCaptured = () =>
  countOf(
    apart.clusters.payments.url,
    `select count(*)::int from payments.authorizations where state = 'captured'`,
  )

test('concurrent card orders are captured once over TLS, PgBouncer and 4 PostgreSQL clusters', async () => {
  const api = new Api(() => stack.file)
  const keys = Array.from({ length: ORDERS }, (_, at) => `topology-${at}`)
  const sent = await Promise.all(
    keys.map(async (key) =>
      api.sendOrder(await orderOf(api, key, 'card'), { headers: { 'idempotency-key': key } }),
    ),
  )
  expect(sent.map(({ status }) => status)).toEqual(keys.map(() => 200))
  expect(await settled(stack)).toBe(true)
  // The tenant reads the rows, so SET_TENANT and the statement reached one session.
  for (const { body } of sent) expect((await api.get(`order/${body.apiKey}/status`)).status).toBe(200)
  await vi.waitFor(async () => {
    const { ledger } = await readBooks(stack.file)
    expect(ledger.filter(({ kind }) => kind === 'capture')).toHaveLength(ORDERS)
  })
  expect(await countCaptured()).toBe(ORDERS)
})

/** Opens a transaction that may write orders. Every index build waits for it. */
async function openTransaction(url: string) {
  const locked = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const ended = withClient(url, async (client) => {
    // The server ends an idle transaction after 5 s.
    await client.query(
      'set idle_in_transaction_session_timeout = 0; begin; lock table orders in row exclusive mode',
    )
    locked.resolve()
    await ending.promise
    await client.query('commit')
  })
  await Promise.race([locked.promise, ended])
  return {
    end: () => {
      ending.resolve()
      return ended
    },
  }
}

const countInOrders = (query: string): Promise<number> => countOf(apart.clusters.orders.url, query)
const countMissing = async () =>
  (await ordersIndexes()).length -
  (await countInOrders(`select count(*)::int from pg_index join pg_class on oid = indexrelid
    where indisvalid and relnamespace = 'orders'::regnamespace
      and relname in (${(await ordersIndexes()).map(({ name }) => `'${name}'`).join(', ')})`))

/** Sends an order every quarter of a second until `isOver`. Returns the longest response in seconds. */
async function orderUntil(isOver: () => Promise<boolean>): Promise<{ sent: number; longestS: number }> {
  const api = new Api(() => stack.file)
  const running: Promise<number>[] = []
  const one = async (key: string) => {
    const began = performance.now()
    const order = await orderOf(api, key, 'card')
    const { status } = await api.sendOrder(order, { headers: { 'idempotency-key': key } })
    expect({ key, status }).toEqual({ key, status: 200 })
    return (performance.now() - began) / 1_000
  }
  while (!(await isOver())) {
    running.push(one(`while-building-${running.length}`))
    await wait(250)
  }
  return { sent: running.length, longestS: Math.max(...(await Promise.all(running))) }
}

test(`orders are accepted through PgBouncer while indexes of ${ROWS} orders are built, also after a build was killed`, async () => {
  const superuser = new URL(apart.clusters.orders.url)
  superuser.searchParams.set('options', '-c search_path=orders')
  await fill(superuser.href, { from: LARGEST - ROWS + 1, to: LARGEST })
  await vi.waitFor(async () => expect(await countMissing()).toBe(0), { timeout: 600_000, interval: 500 })
  const names = (await ordersIndexes()).map(({ name }) => `orders.${name}`)
  await withClient(apart.clusters.orders.url, (client) => client.query(`drop index ${names.join(', ')}`))
  // With few rows, a build would end before the kill, so it waits for this transaction.
  const writer = IS_LARGE ? null : await openTransaction(superuser.href)
  // A new process finds the missing indexes.
  const [pid = 0] = stack.pids('orders')
  process.kill(pid, 'SIGTERM')
  await vi.waitFor(() => expect(stack.pids('orders')).not.toContain(pid), { timeout: 30_000 })
  await stack.ready('orders')

  const phase = IS_LARGE ? 'building index: scanning table' : 'waiting %'
  let isKilled = false
  const { sent, longestS } = await orderUntil(async () => {
    if (!isKilled) {
      isKilled =
        (await countInOrders(`select count(pg_terminate_backend(pid))::int as count
          from pg_stat_progress_create_index where phase like '${phase}'`)) > 0
      if (isKilled) await writer?.end()
    }
    return isKilled && (await countMissing()) === 0
  })
  expect(sent).toBeGreaterThan(0)
  expect(longestS).toBeLessThan(8)
  await vi.waitFor(async () => expect(await countCaptured()).toBe(ORDERS + sent))
  process.stdout.write(
    `${sent} orders while the indexes of ${ROWS} orders were built; the slowest took ${longestS.toFixed(1)} s\n`,
  )
}, 3_600_000)

test('each cluster has the tables of one service', async () => {
  for (const service of databaseServices) {
    const schemas = `select count(distinct table_schema)::int as count from information_schema.tables
      where table_schema in (${databaseServices.map((name) => `'${name}'`).join(', ')})`
    expect(await countOf(apart.clusters[service].url, schemas)).toBe(1)
  }
})

test('services share the sessions of PgBouncer, and every session has the settings of its role', async () => {
  for (const service of ['accounts', 'orders', 'payments'] as const) {
    const sessions = `select count(*)::int from pg_stat_activity where usename = '${service}'`
    expect(await countOf(apart.clusters[service].url, sessions)).toBeLessThanOrEqual(SESSIONS)
    const set = `select count(*)::int from pg_db_role_setting where setrole = '${service}'::regrole
      and 'plan_cache_mode=force_generic_plan' = any(setconfig) and 'search_path=${service}' = any(setconfig)`
    expect(await countOf(apart.clusters[service].url, set)).toBe(1)
  }
})

test('every session of a service at PostgreSQL is encrypted', async () => {
  for (const service of databaseServices) {
    const sessions = (
      encrypted: boolean,
    ) => `select count(*)::int from pg_stat_activity a join pg_stat_ssl s using (pid)
      where a.usename = '${service}' and s.ssl = ${encrypted}`
    expect(await countOf(apart.clusters[service].url, sessions(false))).toBe(0)
    expect(await countOf(apart.clusters[service].url, sessions(true))).toBeGreaterThan(0)
  }
})

test('PostgreSQL, RabbitMQ, Redis and services with a certificate of an unknown authority are refused', async () => {
  setDefaultCACertificates([...rootCertificates])
  const postgres = connectPostgres(`${apart.clusters.catalog.own}?sslmode=verify-full`, 1, log)
  await expect(postgres.check()).rejects.toThrow(/certificate/)
  await postgres.close()
  const redis = connectRedis(apart.rediss, log)
  const [error] = (await once(redis, 'error')) as [Error]
  expect(error.message).toMatch(/certificate/)
  redis.disconnect()
  const bus = new Bus({ url: [apart.amqps['catalog'] ?? ''], service: 'catalog', log })
  const started = bus.start()
  await vi.waitFor(() => expect(bus.check()).rejects.toThrow(/certificate/))
  await bus.close()
  await started
  const [refused] = (await once(get(`${stack.gateway}/health/live`, { agent: false }), 'error')) as [Error]
  expect(refused.message).toMatch(/certificate/)
})
