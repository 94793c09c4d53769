import { serviceConfig } from '@platter/kit'
import { z } from 'zod'

export const Config = z.object({
  HOST: serviceConfig.HOST,
  PORT: serviceConfig.PORT,
  LOG_LEVEL: serviceConfig.LOG_LEVEL,
  LEDGER_FILE: z
    .string()
    .min(1)
    .describe('File that every effect is appended to, one JSON line each; made when it is missing.'),
})
