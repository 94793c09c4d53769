import type { UnknownPayments } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = { records: Pick<PaymentRecordStore, 'unknown'> }

export const unknownPayments =
  ({ records }: Deps): Handler<typeof UnknownPayments> =>
  async ({ body }) => ({ payments: await records.unknown(body) })
