import { amqpConfig, postgresConfig, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  REDIS_URL: z.url().describe('Redis, a cache of rendered menus. It may be unavailable or flushed.'),
  GEOCODER_URL: z
    .url()
    .optional()
    .describe(
      'Base URL of a Nominatim-compatible server that finds addresses. Without it an address is located at the centre of its ZIP code or city.',
    ),
})
export type Config = z.output<typeof Config>
