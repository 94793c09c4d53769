import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** Repeats the processor call of an order whose outcome is unknown. The result is `known` if the outcome is known by now. */
export const RetryPayment = internalOperation({
  name: 'retry-payment',
  path: '/internal/ask-payment-again',
  owner: 'payments',
  body: z.object({ orderApiKey: ApiKey }),
  response: z.object({ found: z.boolean(), known: z.boolean() }),
})
