import { z } from 'zod'
import { Before } from '#/internal/unknown-payments.ts'
import { internalOperation } from '#/operation.ts'
import { ApiKey, Cents } from '#/values.ts'

/**
 * Returns the cancelled orders whose refund has failed at the processor after the release of the charge, newest first. `amount`: the
 * cents that the customer has not received.
 */
export const MissingRefunds = internalOperation({
  name: 'missing-refunds',
  path: '/internal/missing-refunds',
  owner: 'payments',
  body: z.object({ before: Before.nullable(), limit: z.int() }),
  response: z.object({
    refunds: z.array(
      z.object({
        orderApiKey: ApiKey,
        amount: Cents,
        /** Microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
})
