import { cents, type Book, type Charge, type MismatchRule, type PaymentRow } from '@platter/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareOrder,
  compareStrayCharge,
  orphanedPayment,
  type OrderEntry,
  type OtherBooks,
} from '#/domain/reconciliation.ts'

type Books = { order: OrderEntry; others: OtherBooks }

const amount = fc.integer({ min: 1, max: 100_000 }).map(cents)
const anyTotal = fc.oneof(fc.constant(cents(0)), amount)
const ends = ['fulfilled', 'cancelled', 'failed'] as const

const inCash = (end: (typeof ends)[number]) => (end === 'fulfilled' ? 'DUE' : 'VOIDED')
const unpaid = (isCash: boolean, end: (typeof ends)[number]) => (isCash ? inCash(end) : 'NOT_REQUIRED')
const BY_CARD: Partial<Record<PaymentRow['state'], 'CHARGED' | 'REFUNDED'>> = {
  captured: 'CHARGED',
  refunded: 'REFUNDED',
}
const byCard = (state: PaymentRow['state']) => BY_CARD[state] ?? 'VOIDED'

/** Only an order that failed before its transmission may have a declined payment. */
const stateAt = (end: (typeof ends)[number], reversal: 'voided' | 'refunded' | 'declined') =>
  end === 'fulfilled' ? 'captured' : reversal === 'declined' && end === 'cancelled' ? 'voided' : reversal

/** A part of a fulfilled order may be refunded. */
const refundedAt = (end: (typeof ends)[number], total: number, part: number) =>
  cents(end === 'fulfilled' ? Math.floor(total * part) : 0)

/** The failed order may have a challenge that was never confirmed. Then the processor has no charge. */
const mayBeUnconfirmed = (end: (typeof ends)[number], state: PaymentRow['state']) =>
  end === 'failed' && state !== 'refunded'

const rowOf = (
  state: PaymentRow['state'],
  total: PaymentRow['amount'],
  isUnconfirmed: boolean,
): PaymentRow => {
  const processorId = state === 'declined' && !isUnconfirmed ? null : 'auth_1'
  return { orderApiKey: 'o1', state, amount: total, processorId }
}

/** The charges of a paid order at the processor. */
const chargesOf = (charge: Charge, state: PaymentRow['state'], isUnconfirmed: boolean) =>
  state === 'declined' || isUnconfirmed ? [] : [charge]

/** Consistent books of an order. */
const balanced: fc.Arbitrary<Books> = fc
  .record({
    total: anyTotal,
    payment: fc.constantFrom('cash' as const, 'card' as const),
    test: fc.boolean(),
    end: fc.constantFrom(...ends),
    reversal: fc.constantFrom('voided' as const, 'refunded' as const),
    declined: fc.boolean(),
    challenged: fc.boolean(),
    part: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ total, payment, test: isTest, end, reversal, declined, challenged, part }) => {
    const isPaid = payment === 'card' && !isTest && total > 0
    const state = stateAt(end, declined ? 'declined' : reversal)
    const isUnconfirmed = challenged && mayBeUnconfirmed(end, state)
    const row = rowOf(state, total, isUnconfirmed)
    const refunded = refundedAt(end, total, part)
    const charge = { id: 'auth_1', reference: 'o1', status: state, amount: total, refunded } as Charge
    const paymentState = isPaid ? byCard(state) : unpaid(payment === 'cash' && !isTest, end)
    const outcome = end === 'failed' ? 'failed' : 'transmitted'
    return {
      order: {
        apiKey: 'o1',
        payment,
        test: isTest,
        total,
        refunded,
        outcome,
        cancelled: end === 'cancelled',
        paymentState,
      },
      others: {
        payment: isPaid ? row : null,
        charges: isPaid ? chargesOf(charge, state, isUnconfirmed) : [],
        delivery: outcome === 'transmitted' ? 'accepted' : 'refused',
      },
    } as const
  })

const charged = balanced.filter(({ others }) => others.payment?.state === 'captured')
const withCharge = balanced.filter(({ others }) => others.charges.length > 0)
/** A voided authorization of a failed order may have been a challenge, which is no charge. */
const neededCharge = withCharge.filter(
  ({ order, others }) => order.outcome !== 'failed' || others.payment?.state === 'refunded',
)
const compareBooks = ({ order, others }: Books) => compareOrder(order, others)
const another: Charge = {
  id: 'auth_2',
  reference: 'o1',
  status: 'captured',
  amount: cents(1),
  refunded: cents(0),
}

test('consistent books have no mismatch', () => {
  fc.assert(
    fc.property(balanced, (books) => {
      expect(compareBooks(books)).toEqual([])
    }),
  )
})

/** The processor counts a refund of everything at once. `known`: whether the order has the refund. */
const withWholeRefund =
  (known: boolean) =>
  ({ order, others }: Books) =>
    compareOrder(
      { ...order, refunded: known ? order.total : cents(0) },
      { ...others, charges: others.charges.map((charge) => ({ ...charge, status: 'refunded' as const })) },
    )

test('a pending refund of the whole charge is no mismatch', () => {
  fc.assert(
    fc.property(charged, (books) => {
      expect(withWholeRefund(true)(books)).toEqual([])
    }),
  )
})

/** The books of a fulfilled order whose whole total was refunded. */
const whollyRefunded = (payment: 'card' | 'cash', change: Partial<OrderEntry> = {}): Books => {
  const total = cents(1_075)
  const isCard = payment === 'card'
  const charge = {
    id: 'auth_1',
    reference: 'o1',
    status: 'refunded',
    amount: total,
    refunded: total,
  } as const
  return {
    order: {
      apiKey: 'o1',
      payment,
      test: false,
      total,
      refunded: total,
      outcome: 'transmitted',
      cancelled: false,
      paymentState: 'REFUNDED',
      ...change,
    },
    others: {
      payment: isCard ? rowOf('refunded', total, false) : null,
      charges: isCard ? [charge] : [],
      delivery: 'accepted',
    },
  }
}
const rulesOf = (books: Books) => compareBooks(books).map(({ rule }) => rule)

test('a fulfilled order whose whole total was refunded is no mismatch', () => {
  expect([rulesOf(whollyRefunded('card')), rulesOf(whollyRefunded('cash'))]).toEqual([[], []])
})

test.each<[title: string, rules: string[], books: Books]>([
  [
    'the charge is still captured',
    ['charge-unwanted', 'payment-state'],
    withCharges(each(() => ({ status: 'captured' })))(whollyRefunded('card')),
  ],
  ['orders has it as CHARGED', ['payment-state'], whollyRefunded('card', { paymentState: 'CHARGED' })],
  [
    'a cash order is VOIDED',
    ['refund-amount', 'payment-state'],
    whollyRefunded('cash', { paymentState: 'VOIDED' }),
  ],
  [
    'more cash than the total was returned',
    ['refund-amount'],
    whollyRefunded('cash', { refunded: cents(1_076) }),
  ],
])('a wholly refunded order is a mismatch when %s', (_, rules, books) => {
  expect(rulesOf(books)).toEqual(rules)
})

test('a refund of the whole charge that the order does not have is a refund-amount, not a missing charge', () => {
  fc.assert(
    fc.property(charged, (books) => {
      const rules = withWholeRefund(false)(books).map(({ rule }) => rule)
      expect(rules).toEqual(['refund-amount', 'payment-state'])
    }),
  )
})

test('the sequence of the listed charges does not change the violated rules', () => {
  const charges = fc.array(
    fc.record({
      id: fc.constantFrom('auth_1', 'auth_2', 'auth_3'),
      reference: fc.constant('o1'),
      status: fc.constantFrom('authorized', 'captured', 'voided', 'refunded'),
      amount,
      refunded: fc.constant(cents(0)),
    }),
    { maxLength: 4 },
  ) as fc.Arbitrary<Charge[]>
  fc.assert(
    fc.property(balanced, charges, ({ order, others }, listed) => {
      const rules = (some: Charge[]) =>
        compareOrder(order, { ...others, charges: some }).map(({ rule }) => rule)
      // The processor has one charge per id.
      const unique = [...new Map(listed.map((charge) => [charge.id, charge])).values()]
      expect(rules(unique.toReversed()).toSorted()).toEqual(rules(unique).toSorted())
    }),
  )
})

type Fault = [
  title: string,
  rule: MismatchRule,
  book: Book,
  from: fc.Arbitrary<Books>,
  plant: (books: Books) => Books,
]

/** A planted fault in one book, for all orders that can have it, with a rule that it violates. */
const FAULTS: Fault[] = [
  ['the charge is missing', 'payment-unknown-to-processor', 'processor', neededCharge, withCharges(() => [])],
  [
    'another charge exists for a charged order',
    'charge-twice',
    'processor',
    charged,
    withCharges((charges) => [...charges, another]),
  ],
  [
    'a charge exists for an order that is not charged',
    'charge-unwanted',
    'processor',
    balanced.filter(({ order, others }) => !order.test && others.payment?.state !== 'captured'),
    withCharges((charges) => [...charges, another]),
  ],
  [
    'a charge exists for a test order',
    'charge-of-test-order',
    'processor',
    balanced.filter(({ order }) => order.test),
    withCharges((charges) => [...charges, another]),
  ],
  [
    'nothing is captured for a charged order',
    'charge-missing',
    'processor',
    charged,
    withCharges(each(() => ({ status: 'authorized' }))),
  ],
  [
    'a cash order has a payment row',
    'charge-unwanted',
    'payments',
    balanced.filter(({ order }) => order.payment === 'cash' && !order.test),
    withOthers({ payment: { orderApiKey: 'o1', state: 'released', amount: cents(1), processorId: null } }),
  ],
  [
    'a test order has a payment row',
    'charge-of-test-order',
    'payments',
    balanced.filter(({ order }) => order.test),
    withOthers({ payment: { orderApiKey: 'o1', state: 'released', amount: cents(1), processorId: null } }),
  ],
  [
    'the charge has another amount',
    'charge-amount',
    'processor',
    withCharge,
    withCharges(each(({ amount: one }) => ({ amount: cents(one + 1) }))),
  ],
  [
    'the charge is only authorized',
    'payment-state',
    'processor',
    withCharge,
    withCharges(each(() => ({ status: 'authorized' }))),
  ],
  [
    'the charge is in another currency',
    'charge-amount',
    'processor',
    charged,
    withCharges(each(() => ({ differs: 'The charge is in eur.' }))),
  ],
  [
    'the processor has refunded more than the order',
    'refund-amount',
    'processor',
    charged,
    withCharges(each(({ refunded = 0 }) => ({ refunded: cents(refunded + 1) }))),
  ],
  [
    'the refunded cash order is still DUE',
    'refund-amount',
    'orders',
    balanced.filter(
      ({ order }) =>
        order.paymentState === 'DUE' &&
        order.total > 0 &&
        !order.cancelled &&
        order.outcome === 'transmitted',
    ),
    ({ order, others }) => ({ order: { ...order, refunded: order.total }, others }),
  ],
  ['the payment row is missing', 'payment-state', 'payments', charged, withOthers({ payment: null })],
  [
    'the totals of order and payment differ',
    'charge-amount',
    'orders',
    charged,
    ({ order, others }) => ({ order: { ...order, total: cents(order.total + 1) }, others }),
  ],
  [
    'the payment row has another total',
    'charge-amount',
    'payments',
    withCharge,
    ({ order, others }) => ({
      order,
      others: { ...others, payment: { ...others.payment!, amount: cents(others.payment!.amount! + 1) } },
    }),
  ],
  [
    'the payment row has no outcome yet',
    'payment-state',
    'payments',
    charged,
    ({ order, others }) => ({ order, others: { ...others, payment: { ...others.payment!, state: 'sent' } } }),
  ],
  ['no delivery was accepted', 'delivery-missing', 'deliveries', charged, withOthers({ delivery: null })],
  [
    'the payment state of the charged order is PENDING',
    'payment-state',
    'orders',
    charged,
    ({ order, others }) => ({ order: { ...order, paymentState: 'PENDING' }, others }),
  ],
  [
    'a total of 0 was charged',
    'charge-unwanted',
    'orders',
    charged,
    ({ order, others }) => ({ order: { ...order, total: cents(0) }, others }),
  ],
  [
    'the charged order is a test',
    'charge-of-test-order',
    'orders',
    charged,
    ({ order, others }) => ({ order: { ...order, test: true }, others }),
  ],
  [
    'the charged order is cancelled',
    'charge-unwanted',
    'orders',
    charged,
    ({ order, others }) => ({ order: { ...order, cancelled: true }, others }),
  ],
  [
    'the charged order has failed',
    'delivery-unwanted',
    'deliveries',
    charged,
    ({ order, others }) => ({ order: { ...order, outcome: 'failed' }, others }),
  ],
]

function withOthers(change: Partial<OtherBooks>) {
  return ({ order, others }: Books): Books => ({ order, others: { ...others, ...change } })
}
function withCharges(change: (charges: readonly Charge[]) => Charge[]) {
  return ({ order, others }: Books): Books => ({
    order,
    others: { ...others, charges: change(others.charges) },
  })
}
function each(change: (charge: Charge) => Partial<Charge>) {
  return (charges: readonly Charge[]) => charges.map((charge) => ({ ...charge, ...change(charge) }))
}

describe('mismatch in one book', () => {
  test.each(FAULTS)('when %s, a mismatch has the rule %s and names %s', (...[, rule, book, from, plant]) => {
    fc.assert(
      fc.property(from, (books) => {
        const found = compareBooks(plant(books))
        expect(found.map((one) => one.rule)).toContain(rule)
        expect(found.flatMap(({ disagree }) => disagree)).toContain(book)
        for (const one of found)
          expect(one).toMatchObject({
            detail: expect.stringMatching(/\.$/) as string,
            remedy: expect.stringMatching(/\.$/) as string,
            says: { orders: expect.stringContaining(books.order.payment) as string },
          })
      }),
    )
  })
})

test('a mismatch has the entry of each book', () => {
  const order: OrderEntry = {
    apiKey: 'o1',
    payment: 'card',
    test: false,
    total: cents(2545),
    refunded: cents(0),
    outcome: 'transmitted',
    cancelled: false,
    paymentState: 'CHARGED',
  }
  const payment: PaymentRow = {
    orderApiKey: 'o1',
    state: 'captured',
    amount: cents(2445),
    processorId: 'auth_1',
  }
  const charges: Charge[] = [
    { id: 'auth_1', reference: 'o1', status: 'captured', amount: cents(2445), refunded: cents(0) },
  ]
  expect(compareOrder(order, { payment, charges, delivery: 'accepted' })).toEqual([
    {
      orderApiKey: 'o1',
      rule: 'charge-amount',
      detail: 'The order is 25.45, the charge is 24.45.',
      remedy: expect.stringContaining('dashboard of the processor') as string,
      disagree: ['orders', 'processor'],
      says: {
        orders: 'transmitted, card, 25.45, CHARGED',
        payments: 'captured 24.45 as auth_1',
        processor: 'captured 24.45 as auth_1',
        deliveries: 'accepted',
      },
    },
  ])
})

describe('stray charge', () => {
  const row: PaymentRow = { orderApiKey: 'o1', state: 'captured', amount: cents(1), processorId: 'auth_2' }
  test('is no mismatch when it is the charge of the payment row', () =>
    expect(compareStrayCharge(another, row, true)).toEqual([]))
  test('is no mismatch when it is neither authorized nor captured', () =>
    expect(compareStrayCharge({ ...another, status: 'voided' }, null, false)).toEqual([]))
  test('is a mismatch when its order does not exist, with or without a payment row', () => {
    for (const payment of [row, null])
      expect(compareStrayCharge(another, payment, false)).toMatchObject([{ rule: 'charge-without-order' }])
  })
  test('is a second charge when the payment row has another charge or does not exist', () => {
    for (const payment of [{ ...row, processorId: 'auth_1' }, null])
      expect(compareStrayCharge(another, payment, true)).toMatchObject([{ rule: 'charge-twice' }])
  })
  test('orphanedPayment reports a payment row without an order', () =>
    expect(orphanedPayment(row)).toMatchObject({ rule: 'payment-without-order', says: { orders: null } }))
})
