import { amqpConfig, postgresConfig, serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  REDIS_URL: z
    .url()
    .describe('Redis, for rendered menus; nothing is lost when it is unavailable or flushed.'),
  GEOCODER_URL: z
    .url()
    .optional()
    .describe(
      'Base URL of a Nominatim-compatible server that finds addresses; without it the middle of the ZIP code, or of the city, is taken.',
    ),
})
export type Config = z.output<typeof Config>
