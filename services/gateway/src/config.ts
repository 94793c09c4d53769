import { requestTimes } from '@platter/contracts'
import { atLeastOne, cardConfig, networkList, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  CATALOG_URL: replicaUrls('catalog'),
  ACCOUNTS_URL: replicaUrls('accounts'),
  ORDERS_URL: replicaUrls('orders'),
  PAYMENTS_URL: replicaUrls('payments'),
  ...cardConfig,
  REDIS_URL: z
    .url()
    .describe(
      'Redis, for the request counts that all replicas share. While it is unavailable, each replica counts alone.',
    ),
  REQUEST_DEADLINE_MS: z.coerce
    .number()
    .int()
    .min(3_000)
    .max(requestTimes.deadline)
    .default(requestTimes.deadline)
    .describe(
      'Milliseconds from the arrival of a request to its response at the latest, even if a dependency is unavailable. The time in which a client sends the body does not count. send-order waits for its order until 2 s before the deadline.',
    ),
  RATE_LIMIT_REQUESTS: atLeastOne
    .default(3_000)
    .describe('The maximum number of requests of an access key in 10 s. Further requests receive 429.'),
  ORDERS_PER_SECOND: atLeastOne
    .default(50)
    .describe(
      'The maximum number of orders per second that an application sends or validates with all its access keys. Further ones receive 429. Each gateway replica counts alone. With a fifth of the capacity of the platform, one noisy application does not affect the others.',
    ),
  CONNECTIONS: atLeastOne
    .default(10_000)
    .describe(
      'The maximum number of open connections of a gateway replica. Further ones are closed immediately.',
    ),
  CONNECTIONS_PER_ADDRESS: atLeastOne
    .default(1_000)
    .describe(
      'The maximum number of open connections of one client address (IPv6: its /64), except the addresses in TRUSTED_PROXIES.',
    ),
  TRUSTED_PROXIES: networkList.describe(
    'Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, separated by commas. Empty: none. All clients behind any other proxy count as one address.',
  ),
})
export type Config = z.output<typeof Config>
