import { serviceConfig } from '@platter/kit'
import { z } from 'zod'

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback)

export const Config = z.object({
  HOST: serviceConfig.HOST,
  PORT: serviceConfig.PORT,
  LOG_LEVEL: serviceConfig.LOG_LEVEL,
  GATEWAY_URL: z
    .url()
    .describe('Base URL of the gateway, to which the simulated restaurants report progress.'),
  OPERATOR_KEY: z
    .string()
    .min(1)
    .describe('Access key of an operator, with which each simulated restaurant is issued an access key.'),
  RECEIPTS_FILE: z
    .string()
    .min(1)
    .describe('File with one JSON line per order received; created when it is missing.'),
  STEP_MS: ms(3_000).describe('Time from one status of an order to the next; milliseconds.'),
  SLOW_MS: ms(9_000).describe(
    'How long the restaurant `slow` takes to answer; milliseconds. More than send-order waits (8 s), less than a restaurant is given (10 s).',
  ),
})
