import { cents } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkTip,
  clientRecord,
  firstPaymentState,
  isCharged,
  MAX_TOTAL,
  orderRecord,
  priceOrder,
  totalFaults,
} from '#/domain/order.ts'
import { newOrder } from '#/domain/order-state.ts'
import { refundOfProcessor } from '#/domain/refund.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

test('a tip has at most two decimals and is not negative', () => {
  expect(checkTip(3, cents(1_000))).toEqual({ tip: 300 })
  expect(checkTip(0.07, cents(1_000))).toEqual({ tip: 7 })
  expect(checkTip(0, cents(1_000))).toEqual({ tip: 0 })
  for (const tip of [1.005, -0.01, 1e300])
    expect(checkTip(tip, cents(1_000))).toMatchObject({
      fault: { pointer: '/tip', code: 'tip-out-of-range' },
    })
})

test('a tip is at most the larger of 50.00 and the subtotal', () => {
  expect(checkTip(50, cents(1_000))).toEqual({ tip: 5_000 })
  expect(checkTip(50.01, cents(1_000))).toHaveProperty('fault')
  expect(checkTip(80, cents(8_000))).toEqual({ tip: 8_000 })
  expect(checkTip(80.01, cents(8_000))).toHaveProperty('fault')
})

test('the fault of a tip above every limit names the limit, not decimals', () => {
  expect(checkTip(1e300, cents(8_000))).toMatchObject({ fault: { detail: 'tip is more than 80.00.' } })
  expect(checkTip(1e300, null)).toMatchObject({ fault: { detail: 'tip is more than 999999.99.' } })
})

test('without a subtotal, the limit of a tip is that of a total', () => {
  expect(checkTip(80, null)).toEqual({ tip: 8_000 })
  for (const [tip, detail] of [
    [-0.001, 'tip is less than 0.'],
    [1.005, 'tip has more than two decimals.'],
  ] as const)
    expect(checkTip(tip, null)).toMatchObject({ fault: { pointer: '/tip', detail } })
})

/** PostgreSQL's largest integer, the type of the column `orders.total`. */
const LARGEST_INTEGER = 2_147_483_647

const anyPaid = fc.record({
  payment: fc.constantFrom('cash' as const, 'card' as const),
  test: fc.boolean(),
  total: fc
    .oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }))
    .map(cents),
})

test('a total is accepted up to MAX_TOTAL, and by card from the minimum of the processor', () => {
  expect(MAX_TOTAL).toBeLessThan(LARGEST_INTEGER)
  fc.assert(
    fc.property(anyPaid, fc.integer({ min: 1, max: 100 }).map(cents), (order, minimum) => {
      const { payment, test: isTest, total } = order
      const isAccepted = payment === 'cash' || isTest || total === 0 || total >= minimum
      expect(totalFaults(order, minimum).length === 0).toBe(total <= MAX_TOTAL && isAccepted)
    }),
    {
      examples: [
        [{ payment: 'cash', test: false, total: cents(2_147_483_648) }, cents(50)],
        [{ payment: 'card', test: false, total: MAX_TOTAL }, cents(50)],
        [{ payment: 'card', test: false, total: cents(50) }, cents(50)],
      ],
    },
  )
})

test('a total of 0 is not charged, and the card minimum does not apply to it', () => {
  const free = { payment: 'card', test: false, total: cents(0) } as const
  expect(isCharged(free)).toBe(false)
  expect(totalFaults(free, cents(50))).toEqual([])
})

test('the fault of a small total names the total and the minimum', () => {
  const [fault] = totalFaults({ payment: 'card', test: false, total: cents(30) }, cents(50))
  expect(fault).toMatchObject({ pointer: '/payment', code: 'below-card-minimum' })
  expect(fault?.detail).toContain('0.30')
  expect(fault?.detail).toContain('0.50')
})

test.each([
  ['order by card', 'PENDING', { payment: 'card' }],
  ['order in cash', 'DUE', { payment: 'cash' }],
  ['order by card with a total of 0', 'NOT_REQUIRED', { payment: 'card', total: cents(0) }],
  ['test order by card', 'NOT_REQUIRED', { payment: 'card', test: true }],
  ['test order in cash', 'NOT_REQUIRED', { payment: 'cash', test: true }],
] as const)('the payment state of an %s begins at %s', (_, state, changes) => {
  expect(firstPaymentState(pricedOrder(changes))).toBe(state)
})

const AT = 1_790_000_000
const placed = newOrder('o1', pricedOrder({ payment: 'card' }), AT)
const refundOf = (amount: number, state: 'DONE' | 'PENDING' | 'FAILED') =>
  refundOfProcessor({ id: 're_1', amount: cents(amount), state, date: AT }, 'f1')
const cancellation = {
  reason: 'order-cancelled',
  message: 'The customer cancelled the order.',
  cancelledBy: 'customer',
  date: AT,
  refund: { amount: 7.75, state: 'VOIDED' },
} as const

test('refundedTotal counts the refunds that are done', () => {
  const refunds = [refundOf(100, 'DONE'), refundOf(200, 'PENDING'), refundOf(400, 'FAILED')]
  const record = orderRecord({ ...placed, paymentState: 'CHARGED', refunds })
  expect([record.refundedTotal, record.refunds.map(({ amount }) => amount)]).toEqual([1, [1, 2, 4]])
})

test.each([
  ['AUTHORIZED', 3],
  ['REFUNDED', 10.75],
] as const)(
  'the refund of a cancelled order has its payment state %s, and refundedTotal is %d',
  (state, total) => {
    const order = { ...placed, paymentState: state, cancellation, refunds: [refundOf(300, 'DONE')] }
    expect(orderRecord(order)).toMatchObject({
      cancellation: { ...cancellation, refund: { amount: 7.75, state } },
      refundedTotal: total,
    })
  },
)

test('a dispute is in the record with its amount as money; an order without one has null', () => {
  const dispute = { state: 'OPEN', amount: cents(550), reason: 'fraudulent', respondBy: AT } as const
  expect(orderRecord({ ...placed, dispute: { ...dispute, lost: cents(1) } }).dispute).toEqual({
    ...dispute,
    amount: 5.5,
  })
  expect(orderRecord(placed).dispute).toBeNull()
})

test('only the record for the client has the link to the bank', () => {
  const paymentAction = { type: 'redirect', url: 'https://bank.example/1', expires: AT } as const
  expect(clientRecord({ ...placed, paymentAction })).toMatchObject({ paymentAction })
  expect(orderRecord({ ...placed, paymentAction })).not.toHaveProperty('paymentAction')
  expect(clientRecord(placed)).not.toHaveProperty('paymentAction')
})

test('an order keeps its comments, the point of its address, and the time to cancel it', () => {
  const item = {
    apiKey: 'i1',
    name: 'Slice',
    basePrice: cents(900),
    totalPrice: cents(900),
    customizationChoices: [],
  }
  const quote = {
    items: [item, item],
    subtotal: cents(1_800),
    tax: cents(144),
    deliveryPrice: cents(300),
    point: { latitude: 43.07, longitude: -89.38 },
    customerCancelMinutes: 7,
  }
  const request = {
    items: [{ comments: 'no olives' }, {}],
    comments: 'ring twice',
    recipient: { guest: true },
  }
  const address = { streetAddress: '2 E Main St', latitude: null, longitude: null }
  const known = { recipient: placed.details.recipient, card: null, address, tip: cents(200) }
  const { total, details } = priceOrder(request as never, quote, known as never)
  expect(total).toBe(2_444)
  expect(details).toMatchObject({
    items: [{ comments: 'no olives' }, { comments: null }],
    comments: 'ring twice',
    address: { latitude: 43.07, longitude: -89.38 },
    customerCancelMinutes: 7,
  })
})
