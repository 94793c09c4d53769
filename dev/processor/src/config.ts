import { serviceConfig } from '@platter/kit'
import { z } from 'zod'
import { FaultPlan } from './faults.ts'

export const Config = z.object({
  HOST: serviceConfig.HOST,
  PORT: serviceConfig.PORT,
  LOG_LEVEL: serviceConfig.LOG_LEVEL,
  LEDGER_FILE: z
    .string()
    .min(1)
    .describe('File to which every effect is appended, one JSON line each. Created when it is missing.'),
  FAULTS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue('is not JSON')
        return z.NEVER
      }
    })
    .pipe(FaultPlan)
    .optional()
    .describe(
      'Faults at the start, in the format of PUT /faults: {"seed":1,"rules":[{"fault":"drop-reply","on":["authorize"],"probability":0.1}]}.',
    ),
})
