import { replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  CATALOG_URL: replicaUrls('catalog'),
  ACCOUNTS_URL: replicaUrls('accounts'),
  ORDERS_URL: replicaUrls('orders'),
})
export type Config = z.output<typeof Config>
