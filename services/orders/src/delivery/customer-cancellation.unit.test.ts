import { cents } from '@platter/contracts'
import { expect, test } from 'vitest'
import { offerOf } from '#/delivery/customer-cancellation.ts'
import { newOrder, type SagaOrder } from '#/domain/order-state.ts'
import { refundOfProcessor, type OrderRefund } from '#/domain/refund.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const PLACED = 1_790_000_000
const order = (changes: Partial<SagaOrder> = {}) => ({
  ...newOrder('o1', pricedOrder({ payment: 'card' }), PLACED),
  ...changes,
})
const withMinutes = (customerCancelMinutes: number) => ({
  details: { ...pricedOrder().details, customerCancelMinutes },
})
const cancellation = {
  reason: 'x',
  message: 'y',
  cancelledBy: 'system',
  date: 1,
  refund: { amount: 0, state: 'VOIDED' },
} as const
const refund = (amount: number, state: OrderRefund['state']) =>
  refundOfProcessor({ id: 're_1', amount: cents(amount), state, date: PLACED }, 'f1')
const never = { cancellable: false, until: null, refund: { amount: 0 } }

test.each([
  [
    'the cancellation of a pending card order refunds its total',
    {},
    0,
    { cancellable: true, until: PLACED + 300, refund: { amount: 10.75 } },
  ],
  [
    'the cancellation of a cash order refunds 0',
    { payment: 'cash' },
    0,
    { cancellable: true, until: PLACED + 300, refund: { amount: 0 } },
  ],
  [
    'an order that awaits preparation can be cancelled at its deadline',
    { status: 'AWAITING_PREPARATION' },
    300,
    { cancellable: true, until: PLACED + 300, refund: { amount: 10.75 } },
  ],
  [
    'after refunds, a cancellation refunds the rest; a failed refund does not count',
    {
      status: 'AWAITING_PREPARATION',
      refunds: [refund(100, 'DONE'), refund(50, 'PENDING'), refund(75, 'FAILED')],
    },
    0,
    { cancellable: true, until: PLACED + 300, refund: { amount: 9.25 } },
  ],
  ['an order cannot be cancelled 1 s after its deadline', { status: 'AWAITING_PREPARATION' }, 301, never],
  [
    'a customerCancelMinutes of 60 extends the deadline to 1 h',
    withMinutes(60),
    3_600,
    { cancellable: true, until: PLACED + 3_600, refund: { amount: 10.75 } },
  ],
  ['a customerCancelMinutes of 0 allows no cancellation', withMinutes(0), 1, never],
  ['an order in preparation cannot be cancelled', { status: 'PREPARING' }, 0, never],
  ['a cancelled order cannot be cancelled again', { cancellation }, 0, never],
] as [string, Partial<SagaOrder>, number, object][])('%s', (_, changes, age, offer) => {
  expect(offerOf(order(changes), { at: PLACED + age, isFailing: false })).toEqual(offer)
})
