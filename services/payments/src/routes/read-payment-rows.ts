import type { ReadPaymentRows } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = { records: Pick<PaymentRecordStore, 'rows'> }

export const readPaymentRows =
  ({ records }: Deps): Handler<typeof ReadPaymentRows> =>
  async ({ body: { orderApiKeys, from, to } }) => ({ rows: await records.rows(orderApiKeys, { from, to }) })
