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
  WEBHOOK_URL: z
    .url()
    .optional()
    .describe('URL that receives an event for each refund and dispute. Without it, no events are sent.'),
  WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_\S+$/, 'is not a signing secret of a webhook endpoint: whsec_…')
    .default('whsec_development')
    .describe('Secret by which events are signed; the same as PROCESSOR_WEBHOOK_SECRET of payments.'),
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
