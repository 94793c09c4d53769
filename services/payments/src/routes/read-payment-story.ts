import { cents, toMoney, type PaymentStory, type ReadPaymentStory } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import {
  DISPUTE_STATES,
  REFUND_STATES,
  type ReadDispute,
  type ReadRefund,
} from '#/domain/charge-after-sale.ts'
import type { ChargeMirrorStore } from '#/store/charge-mirrors.ts'
import type { PaymentRecordStore } from '#/store/payment-records.ts'

type Deps = { records: Pick<PaymentRecordStore, 'story'>; mirrors: Pick<ChargeMirrorStore, 'find'> }

export const readPaymentStory =
  ({ records, mirrors }: Deps): Handler<typeof ReadPaymentStory> =>
  async ({ body: { orderApiKey } }) => {
    const [story, mirror] = await Promise.all([records.story(orderApiKey), mirrors.find(orderApiKey)])
    if (!story) return { payment: null }
    const refunds = (mirror?.refunds ?? []).map(refundStory)
    const disputes = (mirror?.disputes ?? []).map(disputeStory)
    return { payment: { ...story, refunds, disputes } }
  }

const refundStory = ({ id, key, amount, state, at }: ReadRefund): PaymentStory['refunds'][number] => ({
  id,
  amount: toMoney(cents(amount)),
  state: REFUND_STATES[state],
  madeBy: key === null ? 'processor' : 'platform',
  date: at,
})

const disputeStory = (dispute: ReadDispute): PaymentStory['disputes'][number] => {
  const { id, amount, state, reason, respondBy, at } = dispute
  return { id, state: DISPUTE_STATES[state], amount: toMoney(cents(amount)), reason, respondBy, date: at }
}
