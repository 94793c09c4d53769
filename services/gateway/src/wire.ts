import { operations } from '@platter/contracts'
import { createApp, internalCaller, readBytes, Replicas, type Log, type Parts } from '@platter/kit'
import { AccessKeys } from '#/access-keys.ts'
import type { Config } from '#/config.ts'
import { docs } from '#/routes/docs.ts'
import { problemPages } from '#/routes/problem-pages.ts'
import { publicRoutes } from '#/routes/public-routes.ts'
import { webhooks } from '#/routes/webhooks.ts'
import { RateLimit } from '#/store/rate-limit.ts'

export function wire(config: Config, log: Log): Parts {
  const app = createApp(log, config.TRUSTED_PROXIES)
  readBytes(app)

  const accounts = new Replicas(config.ACCOUNTS_URL)
  const owners = {
    accounts,
    catalog: new Replicas(config.CATALOG_URL),
    orders: new Replicas(config.ORDERS_URL),
  }
  const accessKeys = new AccessKeys(
    internalCaller({
      service: 'gateway',
      secret: config.INTERNAL_SECRET,
      replicas: accounts,
      timeoutMs: 2_000,
    }),
  )

  const policy = { requests: config.RATE_LIMIT_REQUESTS, seconds: config.RATE_LIMIT_SECONDS }
  const rateLimit = new RateLimit(config.REDIS_URL, policy, log)

  publicRoutes(app, { operations, owners, accessKeys, rateLimit, internalSecret: config.INTERNAL_SECRET })
  problemPages(app)
  webhooks(app, config.PAYMENTS_URL)
  docs(app)

  return {
    app,
    prepare: () => rateLimit.connected(1_000),
    checks: { accounts: () => accessKeys.check() },
    async close() {
      rateLimit.close()
      await Promise.all(Object.values(owners).map((owner) => owner.close()))
    },
  }
}
