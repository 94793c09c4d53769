import { serviceConfig } from '@platter/kit'
import { z } from 'zod'

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

export const Config = z.object({
  HOST: serviceConfig.HOST,
  PORT: serviceConfig.PORT,
  LOG_LEVEL: serviceConfig.LOG_LEVEL,
  GATEWAY_URL: z.url().describe('Base URL of the gateway. The simulated restaurants report progress there.'),
  OPERATOR_KEY: z
    .string()
    .min(1)
    .describe('Access key of an operator, which issues an access key to each simulated restaurant.'),
  RECEIPTS_FILE: z
    .string()
    .min(1)
    .describe('File with one JSON line per received order. Created when it is missing.'),
  STEP_MS: ms(3_000).describe('Time from one status of an order to the next, in milliseconds.'),
  SLOW_MS: ms(9_000).describe(
    'Response time of the restaurant `slow`, in milliseconds. Longer than send-order waits (8 s), shorter than a delivery attempt (10 s).',
  ),
})
