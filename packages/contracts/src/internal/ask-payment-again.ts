import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

/** Queries the processor for the outcome of an order's payment; `known` when the outcome is not open any more. */
export const AskPaymentAgain = internalOperation({
  name: 'ask-payment-again',
  method: 'POST',
  path: '/internal/ask-payment-again',
  owner: 'payments',
  admission: 'priority',
  body: z.object({ orderApiKey: ApiKey }),
  response: z.object({ found: z.boolean(), known: z.boolean() }),
  problems: [],
})
