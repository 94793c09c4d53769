import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** More incidents of one source than an operator can handle. Older ones are not read. */
export const MOST_INCIDENTS = 5_000

/**
 * Returns incidents of payments, newest first. `unknown`: processor calls whose outcome has been unknown for five minutes. `dispute`:
 * orders with an open dispute; the disputes of one order are counted together. `missing`: cancelled orders whose refund has failed, or
 * whose lost dispute left a part or was won.
 */
export const PaymentIncidents = internalOperation({
  name: 'payment-incidents',
  path: '/internal/payment-incidents',
  owner: 'payments',
  body: z.object({ kind: z.enum(['unknown', 'dispute', 'missing']) }),
  response: z.object({
    incidents: z.array(
      z.object({
        orderApiKey: ApiKey,
        what: z.string(),
        reason: z.string(),
        /** The number of attempts or disputes. */
        count: z.int(),
        /** Microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
})
