import { cents, type Cents } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type OrderDispute,
  apportion,
  paidForItems,
  refundParts,
  reservedOf,
  type OrderRefund,
  type Refundable,
} from '#/domain/refund.ts'

const anItem = (totalPrice: Cents) => ({
  apiKey: 'i1',
  name: 'Slice',
  comments: null,
  basePrice: totalPrice,
  totalPrice,
  customizationChoices: [],
})

function anOrder(
  prices: readonly number[],
  rest: { tax: number; deliveryPrice: number; tip: number },
): Refundable {
  const items = prices.map((price) => anItem(cents(price)))
  const subtotal = cents(prices.reduce((sum, price) => sum + price, 0))
  const [tax, deliveryPrice, tip] = [cents(rest.tax), cents(rest.deliveryPrice), cents(rest.tip)]
  return {
    total: cents(subtotal + tax + deliveryPrice + tip),
    details: {
      items,
      tax,
      deliveryPrice,
      tip,
    },
    paymentState: 'CHARGED',
    status: 'DELIVERED',
    cancellation: null,
    refunds: [],
    dispute: null,
  }
}

const nothing = { includeDelivery: false, includeTip: false, all: false }
type Request = Parameters<typeof refundParts>[1]

function partsOf(order: Refundable, request: Partial<Request>) {
  const parts = refundParts(order, { ...nothing, ...request })
  if ('refusal' in parts) throw new Error(parts.refusal.detail)
  return parts
}

function refusalOf(order: Refundable, request: Partial<Request>) {
  const parts = refundParts(order, { ...nothing, ...request })
  return 'refusal' in parts ? parts.refusal : null
}

function refunded(
  order: Refundable,
  request: Partial<Request>,
  state: OrderRefund['state'] = 'DONE',
): Refundable {
  const refund: OrderRefund = {
    apiKey: `f${order.refunds.length}`,
    ...partsOf(order, request),
    state,
    reason: 'LATE',
    requestedBy: 'restaurant',
    borneBy: 'restaurant',
    date: 1,
  }
  return { ...order, refunds: [...order.refunds, refund] }
}

/** 3.25 and 6.20, tax 0.52, delivery 2.99, tip 3.00. */
const order = anOrder([325, 620], { tax: 52, deliveryPrice: 299, tip: 300 })

test('an item is refunded with its share of the tax; the shares sum to the tax', () => {
  expect(paidForItems(order.details)).toEqual([325 + 18, 620 + 34])
  expect(partsOf(order, { items: [{ index: 1 }] })).toMatchObject({
    amount: 654,
    items: [{ index: 1, amount: 654 }],
  })
})

test('of equal shares, the first ones get the remaining cents', () => {
  expect(apportion(cents(2), [cents(100), cents(100), cents(100)])).toEqual([1, 1, 0])
})

test('delivery and tip are refunded on request only, and once', () => {
  const request = { items: [{ index: 0 }], includeDelivery: true, includeTip: true }
  expect(partsOf(order, request)).toMatchObject({ amount: 343 + 299 + 300, delivery: 299, tip: 300 })
  for (const again of [{ includeDelivery: true }, { includeTip: true }])
    expect(refusalOf(refunded(order, request), again)).toMatchObject({ code: 'refund-too-large' })
})

test('refuses an item that is already refunded, also together with another one', () => {
  const once = refunded(order, { items: [{ index: 0 }] })
  expect(refusalOf(once, { items: [{ index: 1 }, { index: 0 }] })).toMatchObject({
    code: 'refund-too-large',
    detail: 'Nothing of this item is left to refund.',
    faults: [{ pointer: '/items/1' }],
  })
})

test('an item is refunded in parts up to its price, and a failed refund frees its amount', () => {
  const once = refunded(order, { items: [{ index: 0, amount: 3 }] })
  expect(partsOf(once, { items: [{ index: 0 }] }).amount).toBe(43)
  expect(refusalOf(once, { items: [{ index: 0, amount: 0.44 }] })).toMatchObject({
    code: 'refund-too-large',
    detail: 'At most 0.43 of this item can be refunded.',
    faults: [{ pointer: '/items/0' }],
  })
  const failed = refunded(order, { items: [{ index: 0, amount: 3 }] }, 'FAILED')
  expect(partsOf(failed, { items: [{ index: 0 }] }).amount).toBe(343)
})

test('a refund of all returns the remaining amount of the total', () => {
  const once = refunded(order, { amount: 1.5 })
  expect(partsOf(once, { all: true }).amount).toBe(order.total - 150)
  expect(refusalOf(refunded(once, { all: true }), { amount: 0.01 })).toMatchObject({
    code: 'refund-too-large',
  })
})

test('a lost dispute reduces what can be refunded, and an open or won one does not', () => {
  const disputed = (state: OrderDispute['state'], amount: number, lost?: number) => ({
    ...order,
    dispute: { state, amount: cents(amount), ...(lost !== undefined && { lost: cents(lost) }) },
  })
  expect(partsOf(disputed('LOST', 300), { all: true }).amount).toBe(order.total - 300)
  expect(partsOf(disputed('OPEN', 200, 300), { all: true }).amount, 'a lost and an open one').toBe(
    order.total - 300,
  )
  const { dispute } = disputed('LOST', order.total)
  expect(refusalOf({ ...refunded(order, { amount: 1 }), dispute }, { amount: 0.01 })).toMatchObject({
    code: 'refund-too-large',
    detail: 'Nothing is left to refund.',
  })
  for (const state of ['OPEN', 'WON'] as const)
    expect(partsOf(disputed(state, 300), { all: true }).amount).toBe(order.total)
})

const disputedOrder = (state: OrderDispute['state'], isRefundable?: boolean) => ({
  ...order,
  dispute: { state, amount: cents(300), isRefundable },
})

test('a dispute in which the processor refunds nothing refuses every refund (409), unless it was won', () => {
  for (const state of ['OPEN', 'LOST'] as const)
    for (const request of [{ all: true }, { amount: 0.01 }])
      expect(refusalOf(disputedOrder(state, false), request)).toMatchObject({ code: 'charge-disputed' })
  for (const refundable of [disputedOrder('OPEN', true), disputedOrder('OPEN'), disputedOrder('WON', false)])
    expect(partsOf(refundable, { all: true }).amount).toBe(order.total)
})

test.each([
  ['an authorized order', { paymentState: 'AUTHORIZED' }, 'not-charged-yet'],
  [
    'a cash order that its restaurant has not accepted',
    { paymentState: 'DUE', status: 'PROCESSING' },
    'not-charged-yet',
  ],
  ['a voided order', { paymentState: 'VOIDED' }, 'refund-too-large'],
  ['a test order', { paymentState: 'NOT_REQUIRED' }, 'refund-too-large'],
  ['a cancelled order', { cancellation: {} }, 'refund-too-large'],
] as [string, Partial<Refundable>, string][])('refuses a refund of %s', (_, changes, code) => {
  expect(refusalOf({ ...order, ...changes }, { all: true })?.code).toBe(code)
})

test('the refused refund of a cancelled order names the remedy if the refund of its charge failed', () => {
  expect(refusalOf({ ...order, cancellation: {} }, { all: true })?.detail).toContain(
    'the operator repeats it at the payment processor',
  )
})

test('refuses an unknown item index and names its pointer', () => {
  expect(refusalOf(order, { items: [{ index: 2 }] })).toMatchObject({
    code: 'invalid-field',
    detail: expect.stringMatching(/^items\.0\.index is not one of/) as string,
    faults: [{ pointer: '/items/0/index' }],
  })
})

describe('random orders', () => {
  const amount = fc.integer({ min: 0, max: 100_000 })
  const orders = fc
    .tuple(fc.array(amount, { minLength: 1, maxLength: 20 }), amount, amount, amount)
    .map(([prices, tax, deliveryPrice, tip]) => anOrder(prices, { tax, deliveryPrice, tip }))

  // A share that loses its ninth remaining cent is found after 2,400 orders.
  const runs = { numRuns: 3_000 }

  test('apportioned shares sum to the amount, and each is less than a cent from its proportion', () => {
    fc.assert(
      fc.property(amount, fc.array(amount, { minLength: 1, maxLength: 20 }), (whole, weights) => {
        const parts = apportion(cents(whole), weights.map(cents))
        const total = weights.reduce((sum, weight) => sum + weight, 0)
        expect(parts.reduce<number>((sum, part) => sum + part, 0)).toBe(whole)
        const isFar = (part: number, at: number) =>
          total > 0 && Math.abs(part - (whole * (weights[at] ?? 0)) / total) >= 1
        expect(parts.filter(isFar)).toEqual([])
      }),
      runs,
    )
  })

  test('successive refunds of every item, the delivery and the tip sum to the total', () => {
    fc.assert(
      fc.property(orders, (one) => {
        const requests = [
          ...one.details.items.map((_, index) => ({ items: [{ index }] })),
          { includeDelivery: true },
          { includeTip: true },
        ]
        const last = requests.reduce(
          (now, request) => (refusalOf(now, request) ? now : refunded(now, request)),
          one,
        )
        expect(reservedOf(last.refunds)).toBe(one.total)
      }),
      runs,
    )
  })
})
