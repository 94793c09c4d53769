import type { ReadPaymentStory } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = { records: Pick<PaymentRecordStore, 'story'> }

export const readPaymentStory =
  ({ records }: Deps): Handler<typeof ReadPaymentStory> =>
  async ({ body }) => ({ payment: await records.story(body.orderApiKey) })
