import { amqpConfig, postgresConfig, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  PAYMENTS_URL: replicaUrls('payments'),
  OPERATOR_KEY_HASH: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hexadecimal')
    .optional()
    .describe('SHA-256 (hex) of the first operator access key, which lets in whoever issues all others.'),
})
export type Config = z.output<typeof Config>
