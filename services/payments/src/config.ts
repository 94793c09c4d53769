import { amqpConfig, postgresConfig, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  PROCESSOR_URL: z.url().describe('The payment processor: base URL.'),
})
