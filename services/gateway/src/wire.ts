import { changeTimes, operations, requestTimes } from '@platter/contracts'
import {
  ConcurrencyLimit,
  createApp,
  internalCaller,
  internalSecrets,
  readBytes,
  repeat,
  Replicas,
  type Log,
  type Parts,
} from '@platter/kit'
import { AccessKeys } from '#/access-keys.ts'
import { ADAPT_EVERY_MS, AdaptiveLimit } from '#/adaptive-limit.ts'
import type { Config } from '#/config.ts'
import { limitConnections } from '#/connections.ts'
import { OrderRate } from '#/order-rate.ts'
import { cors } from '#/cors.ts'
import { consolePage } from '#/routes/console-page.ts'
import { consoleSession } from '#/routes/console-session.ts'
import { docs } from '#/routes/docs.ts'
import { problemPages } from '#/routes/problem-pages.ts'
import { publicRoutes } from '#/routes/public-routes.ts'
import { startPage } from '#/routes/start-page.ts'
import { webhooks } from '#/routes/webhooks.ts'
import { Shedding } from '#/shedding.ts'
import { Streams } from '#/streams.ts'
import { RateLimit } from '#/store/rate-limit.ts'

/**
 * Orders in progress (docs/decisions/0031-admission-control.md). `first`: the concurrency limit of a replica of orders;
 * `least`: enough for orders to share commits; `most`: the size of the connection pool.
 */
const ORDERS = { first: 96, least: 32, most: 2_000 }
const READS_AT_ONCE = 256
/** The 16 passwords of one application are hashed within 1.5 s, so others do not wait behind hundreds. */
const PASSWORDS_AT_ONCE = 24

function concurrencyLimits({ ACCOUNTS_URL, CATALOG_URL, ORDERS_URL }: Config) {
  return {
    accounts: new ConcurrencyLimit(READS_AT_ONCE * ACCOUNTS_URL.length),
    catalog: new ConcurrencyLimit(READS_AT_ONCE * CATALOG_URL.length),
    passwords: new ConcurrencyLimit(PASSWORDS_AT_ONCE * ACCOUNTS_URL.length),
    orders: new AdaptiveLimit({
      first: ORDERS.first * ORDERS_URL.length,
      least: ORDERS.least,
      most: ORDERS.most * ORDERS_URL.length,
    }),
  }
}

export function wire(config: Config, log: Log): Parts {
  const secrets = internalSecrets(config)
  const app = createApp(log, { trustedProxies: config.TRUSTED_PROXIES })
  readBytes(app)
  cors(app)
  limitConnections(app.server, {
    all: config.CONNECTIONS,
    ofAddress: config.CONNECTIONS_PER_ADDRESS,
    proxies: config.TRUSTED_PROXIES,
  })

  const accounts = new Replicas(config.ACCOUNTS_URL)
  const owners = {
    accounts,
    catalog: new Replicas(config.CATALOG_URL),
    // Orders of slow restaurants wait for seconds; other orders must not wait behind them.
    orders: new Replicas(config.ORDERS_URL, { connections: ORDERS.most }),
  }
  const concurrency = concurrencyLimits(config)
  // A connection each, as many as there are streams; their number is limited by access key.
  const streamOwners = { orders: new Replicas(config.ORDERS_URL, { connections: null }) }
  const streams = new Streams({
    application: config.STREAMS_PER_APPLICATION_KEY,
    restaurant: config.STREAMS_PER_RESTAURANT_KEY,
  })
  const accessKeys = new AccessKeys(
    internalCaller({
      service: 'gateway',
      secrets,
      replicas: accounts,
      timeoutMs: requestTimes.accessKey,
    }),
  )

  const policy = { requests: config.RATE_LIMIT_REQUESTS, seconds: config.RATE_LIMIT_SECONDS }
  const rateLimit = new RateLimit(config.REDIS_URL, policy, log)
  const orderRate = new OrderRate(config.ORDERS_PER_SECOND)

  publicRoutes(app, {
    operations,
    owners,
    streamOwners,
    streams,
    concurrency,
    accessKeys,
    rateLimit,
    orderRate,
    deadlineMs: config.REQUEST_DEADLINE_MS,
    secrets,
  })
  problemPages(app)
  webhooks(app, config.PAYMENTS_URL)
  docs(app)
  startPage(app)
  consoleSession(app, accessKeys)
  consolePage(app)

  const shedding = new Shedding(app, { operations, concurrency, accessKeys, rateLimit, orderRate, log })
  const refusals = repeat('tell of refusals', 1_000, async () => shedding.tell(), log)

  const adapting = repeat(
    'adapt the limit of orders',
    ADAPT_EVERY_MS,
    async () => concurrency.orders.adapt(),
    log,
  )

  const revocations = repeat('end revoked streams', changeTimes.streamKeys, () => streams.endRevoked(), log)

  return {
    app,
    prepare: () => rateLimit.connected(1_000),
    checks: { accounts: () => accessKeys.check() },
    async quiesce() {
      shedding.end()
      streams.end()
      await Promise.all([revocations.stop(), refusals.stop(), adapting.stop()])
    },
    async close() {
      rateLimit.close()
      const replicas = [...Object.values(owners), ...Object.values(streamOwners)]
      await Promise.all(replicas.map((owner) => owner.close()))
    },
  }
}
