import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** The position of a page of incidents, newest first: `at` in microseconds. '' sorts before every id. */
export const Before = z.object({ at: z.int(), id: ApiKey.or(z.literal('')) })
export type Before = z.infer<typeof Before>

/** Returns the processor calls whose outcome has been unknown for at least `olderThanMs`, newest first. */
export const UnknownPayments = internalOperation({
  name: 'unknown-payments',
  path: '/internal/unknown-payments',
  owner: 'payments',
  body: z.object({ olderThanMs: z.int(), before: Before.nullable(), limit: z.int() }),
  response: z.object({
    payments: z.array(
      z.object({
        orderApiKey: ApiKey,
        call: z.string(),
        reason: z.string(),
        answers: z.int(),
        /** Microseconds since 1970. */
        at: z.int(),
      }),
    ),
  }),
})
