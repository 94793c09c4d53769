import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { ApiKey, Cents, Epoch } from '#/values.ts'

/** The payment of an order. It never contains a token. */
export const PaymentRow = z.object({
  orderApiKey: ApiKey,
  state: z.enum([
    'sent',
    'challenged',
    'authorized',
    'captured',
    'declined',
    'voided',
    'refunded',
    'released',
  ]),
  amount: Cents.nullable(),
  processorId: z.string().nullable(),
})
export type PaymentRow = z.infer<typeof PaymentRow>

/** The maximum number of orders of one request. */
const BOOKS_AT_ONCE = 500

/** Returns the payments of these orders, and all payments created from `from` to before `to`. */
export const ReadPaymentRows = internalOperation({
  name: 'read-payment-rows',
  path: '/internal/payment-rows',
  owner: 'payments',
  body: z.object({ orderApiKeys: z.array(ApiKey).max(BOOKS_AT_ONCE), from: Epoch, to: Epoch }),
  response: z.object({ rows: z.array(PaymentRow) }),
})
