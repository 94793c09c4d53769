import type { ReadPaymentRows, ReadPaymentStory, UnknownPayments } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { PaymentBooks } from '#/store/payment-books.ts'

/** What the orders service gathers for operators. */

export const readPaymentStory =
  (books: PaymentBooks): Handler<typeof ReadPaymentStory> =>
  async ({ body }) => ({ payment: await books.story(body.orderApiKey) })

export const readPaymentRows =
  (books: PaymentBooks): Handler<typeof ReadPaymentRows> =>
  async ({ body: { orderApiKeys, from, to } }) => ({ rows: await books.rows(orderApiKeys, { from, to }) })

export const unknownPayments =
  (books: PaymentBooks): Handler<typeof UnknownPayments> =>
  async ({ body }) => ({ payments: await books.unknown(body) })
