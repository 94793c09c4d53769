import { requestTimes } from '@platter/contracts'
import { cardConfig, networkList, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  CATALOG_URL: replicaUrls('catalog'),
  ACCOUNTS_URL: replicaUrls('accounts'),
  ORDERS_URL: replicaUrls('orders'),
  PAYMENTS_URL: replicaUrls('payments')
    .optional()
    .describe(
      'Where payments is: base URL, or those of its replicas separated by commas. Accounts and orders cannot do without it; the gateway needs it for payment-methods and for webhooks of the payment processor; without it, neither exists.',
    ),
  ...cardConfig,
  REDIS_URL: z
    .url()
    .describe('Redis, for the count of requests that all replicas share; without it each counts for itself.'),
  REQUEST_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(3_000)
    .max(requestTimes.deadline)
    .default(requestTimes.deadline)
    .describe(
      'A request is answered after this time since its arrival, milliseconds, whatever is unavailable. The time in which a client sends the body does not count. send-order waits for its order until 2 s before.',
    ),
  RATE_LIMIT_REQUESTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(3_000)
    .describe('Requests that an access key may make in RATE_LIMIT_SECONDS; past it the answer is 429.'),
  RATE_LIMIT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(10)
    .describe('Seconds of the window in which RATE_LIMIT_REQUESTS are counted.'),
  ORDERS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .default(50)
    .describe(
      'Orders that an application may send or validate in a second, by all its access keys; past it the answer is 429. Each replica of the gateway counts for itself. A fifth of what the platform can take lets one noisy application be without the others noticing.',
    ),
  STREAMS_PER_APPLICATION_KEY: z.coerce
    .number()
    .int()
    .min(1)
    .default(2_000)
    .describe(
      'Streams of events that an access key of an application may have open at a time; past it the answer is 429. Each replica of the gateway counts for itself.',
    ),
  STREAMS_PER_RESTAURANT_KEY: z.coerce
    .number()
    .int()
    .min(1)
    .default(50)
    .describe('The same for an access key of a restaurant.'),
  CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe(
      'Connections that a replica of the gateway has open at most; those past it are closed at once.',
    ),
  CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe('The same for one client address, unless it is one of TRUSTED_PROXIES.'),
  TRUSTED_PROXIES: networkList.describe(
    'Proxies whose X-Forwarded-For names the client: addresses or CIDR ranges, separated by commas; none when empty. Behind a proxy that is not named here all clients count as one address.',
  ),
})
export type Config = z.output<typeof Config>
