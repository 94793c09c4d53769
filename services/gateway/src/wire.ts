import { changeTimes, operations, requestTimes } from '@platter/contracts'
import {
  acceptsRawCards,
  ADAPT_EVERY_MS,
  ADMISSION_POLICIES,
  createApp,
  internalCaller,
  internalSecrets,
  LeakyBucket,
  readBytes,
  Repeaters,
  Replicas,
  type Log,
  type Parts,
  type RateLimit,
} from '@platter/kit'
import { SharedRateLimit } from '@platter/kit/limits/shared-rate-limit'
import { AccessKeys } from '#/access-keys.ts'
import { Admission } from '#/admission.ts'
import type { Config } from '#/config.ts'
import { limitConnections } from '#/connections.ts'
import { cors } from '#/cors.ts'
import { consolePage } from '#/routes/console-page.ts'
import { consoleSession } from '#/routes/console-session.ts'
import { docs } from '#/routes/docs.ts'
import { paymentReturn } from '#/routes/payment-return.ts'
import { problemPages } from '#/routes/problem-pages.ts'
import { publicRoutes } from '#/routes/public-routes.ts'
import { startPage } from '#/routes/start-page.ts'
import { webhooks } from '#/routes/webhooks.ts'
import { Streams } from '#/streams.ts'
import { readinessOf } from '#/upstream-readiness.ts'

const accessKeyRateOf = ({ REDIS_URL, RATE_LIMIT_REQUESTS }: Config, log: Log) =>
  new SharedRateLimit(
    REDIS_URL,
    { name: 'default', what: 'requests', requests: RATE_LIMIT_REQUESTS, seconds: 10 },
    log,
  )

const admissionOf = (config: Config, accessKeyRate: RateLimit) =>
  new Admission({
    replicas: {
      accounts: config.ACCOUNTS_URL.length,
      catalog: config.CATALOG_URL.length,
      orders: config.ORDERS_URL.length,
      payments: config.PAYMENTS_URL.length,
    },
    accessKeyRate,
    orderRate: new LeakyBucket({
      name: 'orders',
      what: 'orders sent or validated',
      requests: config.ORDERS_PER_SECOND,
      seconds: 1,
    }),
  })

export function wire(config: Config, log: Log): Parts {
  const secrets = internalSecrets(config)
  const owners = {
    accounts: new Replicas(config.ACCOUNTS_URL),
    catalog: new Replicas(config.CATALOG_URL),
    // Orders of slow restaurants wait for seconds; other orders must not wait behind them.
    orders: new Replicas(config.ORDERS_URL, { connections: ADMISSION_POLICIES.order.gateway.permits.most }),
    payments: new Replicas(config.PAYMENTS_URL),
  }
  // One connection per stream; the access key's limit bounds the number of streams.
  const streamReplicas = new Replicas(config.ORDERS_URL, { connections: null })
  const streams = new Streams()
  const accessKeys = new AccessKeys(
    internalCaller({
      service: 'gateway',
      secrets,
      replicas: owners.accounts,
      timeoutMs: requestTimes.accessKey,
    }),
  )

  const accessKeyRate = accessKeyRateOf(config, log)
  const admission = admissionOf(config, accessKeyRate)

  const app = createApp(log, {
    tlsDirectory: config.TLS_DIRECTORY,
    exposed: { trustedProxies: config.TRUSTED_PROXIES },
  })
  readBytes(app)
  cors(app)
  limitConnections(app.server, {
    all: config.CONNECTIONS,
    perAddress: config.CONNECTIONS_PER_ADDRESS,
    proxies: config.TRUSTED_PROXIES,
  })
  publicRoutes(app, {
    operations,
    owners,
    streamReplicas,
    streams,
    admission,
    accessKeys,
    deadlineMs: config.REQUEST_DEADLINE_MS,
    secrets,
    refusesRawCards: !acceptsRawCards(config),
  })
  problemPages(app)
  webhooks(app, owners.payments)
  docs(app)
  startPage(app)
  paymentReturn(app)
  consoleSession(app, accessKeys)
  consolePage(app)

  const repeaters = new Repeaters(log)
  repeaters.repeat('log rejections', 1_000, async () => admission.logRejections(log))
  repeaters.repeat('adapt limits', ADAPT_EVERY_MS, async () => admission.adapt())
  repeaters.repeat('end revoked streams', changeTimes.streamKeys, () => streams.endRevoked())

  return {
    app,
    checks: {
      ...Object.fromEntries(Object.entries(owners).map(([name, replicas]) => [name, readinessOf(replicas)])),
      'access-keys': () => accessKeys.check(),
    },
    async quiesce() {
      streams.end()
      await repeaters.stop()
    },
    async close() {
      admission.logRejections(log)
      accessKeyRate.close()
      await Promise.all([...Object.values(owners), streamReplicas].map((upstream) => upstream.close()))
    },
  }
}
