import { expect, test } from 'vitest'
import { offerOf } from '#/delivery/customer-cancellation.ts'
import { newOrder, type SagaOrder } from '#/domain/order-state.ts'
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
const never = { cancellable: false, until: null, refund: { amount: 0 } }

test.each([
  [
    'a pending card order refunds its total',
    {},
    0,
    { cancellable: true, until: PLACED + 300, refund: { amount: 10.75 } },
  ],
  [
    'a cash order refunds nothing',
    { payment: 'cash' },
    0,
    { cancellable: true, until: PLACED + 300, refund: { amount: 0 } },
  ],
  [
    'a waiting order can be cancelled in the last second',
    { status: 'AWAITING_PREPARATION' },
    300,
    { cancellable: true, until: PLACED + 300, refund: { amount: 10.75 } },
  ],
  ['a second later it cannot', { status: 'AWAITING_PREPARATION' }, 301, never],
  [
    'a restaurant may allow longer',
    withMinutes(60),
    3_600,
    { cancellable: true, until: PLACED + 3_600, refund: { amount: 10.75 } },
  ],
  ['a restaurant may allow none', withMinutes(0), 1, never],
  ['a begun order cannot be cancelled', { status: 'PREPARING' }, 0, never],
  ['a cancelled order cannot be cancelled', { cancellation }, 0, never],
] as [string, Partial<SagaOrder>, number, object][])('%s', (_, changes, age, offer) => {
  expect(offerOf(order(changes), PLACED + age)).toEqual(offer)
})
