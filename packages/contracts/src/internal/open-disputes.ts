import { z } from 'zod'
import { Before } from '#/internal/unknown-payments.ts'
import { internalOperation } from '#/operation.ts'
import { ApiKey, Cents, Epoch } from '#/values.ts'

/** Returns the orders with an open dispute at the processor, newest first. The disputes of one order are counted together. */
export const OpenDisputes = internalOperation({
  name: 'open-disputes',
  path: '/internal/open-disputes',
  owner: 'payments',
  body: z.object({ before: Before.nullable(), limit: z.int() }),
  response: z.object({
    disputes: z.array(
      z.object({
        orderApiKey: ApiKey,
        amount: Cents,
        reason: z.string(),
        /** The earliest deadline; null if no response is possible. */
        respondBy: Epoch.nullable(),
        count: z.int(),
        /** Microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
})
