import {
  cents,
  formatAmount,
  type Book,
  type Cents,
  type Charge,
  type Mismatch,
  type MismatchRule,
  type Payment,
  type PaymentRow,
  type PaymentState,
} from '@platter/contracts'
import type { DeliveryOutcome, OrderOutcome } from '#/domain/order-state.ts'
import { isCharged } from '#/domain/order.ts'

/** An order whose saga has ended. */
export type OrderEntry = {
  apiKey: string
  payment: Payment
  test: boolean
  total: Cents
  /** Cents of the refunds that have not failed. */
  refunded: Cents
  outcome: OrderOutcome
  cancelled: boolean
  paymentState: PaymentState
}

/** The entries of the other books for the order. */
export type OtherBooks = {
  payment: PaymentRow | null
  charges: readonly Charge[]
  delivery: DeliveryOutcome | null
}

type Found = { rule: MismatchRule; detail: string; disagree: Book[] }

const BY_HAND = 'Compare the order with the charge in the dashboard of the processor.'
const LATER = 'Reconcile again in some minutes.'

/** The action for an operator, by mismatch. */
const REMEDIES: Record<MismatchRule, string> = {
  'charge-missing': `${LATER} If it remains, the order was fulfilled and not paid: ask the customer to pay, or bear the loss.`,
  'charge-amount': `${BY_HAND} Refund the difference.`,
  'charge-twice': `${BY_HAND} Refund the charge that is unknown to payments.`,
  'charge-unwanted': `${LATER} If it remains, void or refund the charge in the dashboard of the processor.`,
  'charge-of-test-order': 'Refund the charge in the dashboard of the processor.',
  'charge-without-order':
    'Refund the charge in the dashboard of the processor, unless a backup without its order was restored.',
  'refund-amount': `${LATER} A refund of the processor needs two minutes to reach its order. If it remains: ${BY_HAND.toLowerCase()}`,
  'payment-state': `${LATER} If it remains, run platter attention list: a payment may have an unknown outcome.`,
  'payment-unknown-to-processor':
    'Check that the secret key of the processor belongs to the same account as before.',
  'payment-without-order':
    'A backup without this order may have been restored. Refund the charge if no customer got it.',
  'delivery-missing': 'Call the restaurant: it may not have received the order.',
  'delivery-unwanted': 'Call the restaurant: it may be preparing an order that failed.',
}

/** Returns whether the customer receives the order and pays for it. */
export const isFulfilled = ({ outcome, cancelled }: OrderEntry): boolean =>
  outcome === 'transmitted' && !cancelled

/**
 * Returns the mismatches between the books of an order: violations of the invariant of docs/interface.md ("Payment invariant"), and
 * differences between two books.
 */
export function compareOrder(order: OrderEntry, others: OtherBooks): Mismatch[] {
  const found = [
    ...compareCharges(order, others.charges),
    ...compareCash(order),
    ...comparePayment(order, others),
    ...comparePaymentState(order, others.payment),
    ...compareDelivery(order, others),
  ]
  const says = wordsOf(order, others)
  return found.map((one) => ({ orderApiKey: order.apiKey, ...one, remedy: REMEDIES[one.rule], says }))
}

const isOpen = ({ status }: Charge): boolean => status === 'authorized' || status === 'captured'

/** Returns whether the processor must have a captured charge that is not refunded. */
const hasCharge = (order: OrderEntry): boolean =>
  isFulfilled(order) && isCharged(order) && order.paymentState !== 'REFUNDED'

/** Compares orders with the processor. */
function compareCharges(order: OrderEntry, charges: readonly Charge[]): Found[] {
  const disagree: Book[] = ['orders', 'processor']
  if (order.test) {
    if (charges.length === 0) return []
    const detail = 'The payment processor has a charge for a test order.'
    return [{ rule: 'charge-of-test-order', detail, disagree }]
  }
  const open = charges.filter(isOpen)
  if (!hasCharge(order)) {
    if (open.length === 0) return []
    const detail = `${inWords(open)}, but this order must not be charged.`
    return [{ rule: 'charge-unwanted', detail, disagree }]
  }
  if (open.length > 1)
    return [{ rule: 'charge-twice', detail: `There are ${open.length} charges: ${inWords(open)}.`, disagree }]
  const wasCaptured = (charge: Charge) => isRefunded(charge) && charge.amount === order.total
  return compareCapture(order, open[0] ?? charges.find(wasCaptured), disagree)
}

const isRefunded = ({ status }: Charge): boolean => status === 'refunded'

/** `charge`: the only open charge of an order that must have one, or its refunded charge. */
function compareCapture(order: OrderEntry, charge: Charge | undefined, disagree: Book[]): Found[] {
  if (!charge || charge.status === 'authorized')
    return [
      { rule: 'charge-missing', detail: 'Nothing is captured for an order that is fulfilled.', disagree },
    ]
  if (charge.amount !== order.total || charge.differs !== undefined) {
    const detail =
      charge.differs ??
      `The order is ${formatAmount(order.total)}, the charge is ${formatAmount(charge.amount)}.`
    return [{ rule: 'charge-amount', detail, disagree }]
  }
  const refunded = isRefunded(charge) ? charge.amount : (charge.refunded ?? 0)
  if (refunded === order.refunded) return []
  const detail = `The order has refunds of ${formatAmount(order.refunded)}, the processor has refunded ${formatAmount(cents(refunded))}.`
  return [{ rule: 'refund-amount', detail, disagree }]
}

/** Returned cash is in no other book, so only the order itself can be checked. */
function compareCash(order: OrderEntry): Found[] {
  const { payment, test, total, refunded, paymentState } = order
  if (payment !== 'cash' || test || !isFulfilled(order)) return []
  const isAll = total > 0 && refunded >= total
  if (refunded <= total && (paymentState === 'REFUNDED') === isAll) return []
  const detail = `The state is ${paymentState}, and ${formatAmount(refunded)} of ${formatAmount(total)} was returned in cash.`
  return [{ rule: 'refund-amount', detail, disagree: ['orders'] }]
}

/**
 * An authentication that ended without a confirmation is declined or voided under its id, and is not a charge. A transmitted order
 * was authorized.
 */
const isUnconfirmed = ({ outcome }: OrderEntry, { state }: PaymentRow): boolean =>
  outcome === 'failed' && (state === 'declined' || state === 'voided')

/** A pending refund of everything counts at the processor at once, and in payments when its money has moved. */
const isRefundPending = (order: OrderEntry, { state }: PaymentRow, charge: Charge): boolean =>
  state === 'captured' && isRefunded(charge) && order.refunded === order.total

/** Compares payments with the processor. */
function comparePayment(order: OrderEntry, { payment, charges }: OtherBooks): Found[] {
  if (!payment || payment.processorId === null) return []
  const disagree: Book[] = ['payments', 'processor']
  const charge = charges.find(({ id }) => id === payment.processorId)
  if (!charge) {
    if (isUnconfirmed(order, payment)) return []
    const detail = `The processor has no charge ${payment.processorId}.`
    return [{ rule: 'payment-unknown-to-processor', detail, disagree }]
  }
  const found: Found[] = []
  if (charge.status !== payment.state && !isRefundPending(order, payment, charge)) {
    const detail = `The state is ${payment.state} in payments and ${charge.status} at the processor.`
    found.push({ rule: 'payment-state', detail, disagree })
  }
  if (charge.amount !== payment.amount) {
    const ours = payment.amount === null ? 'nothing' : formatAmount(payment.amount)
    const detail = `The amount is ${ours} in payments and ${formatAmount(charge.amount)} at the processor.`
    found.push({ rule: 'charge-amount', detail, disagree })
  }
  return found
}

/** Compares orders with payments. */
function comparePaymentState(order: OrderEntry, payment: PaymentRow | null): Found[] {
  const disagree: Book[] = ['orders', 'payments']
  const isPaid = isCharged(order)
  if (!isPaid && payment && payment.amount !== null) {
    const detail = 'Payments has a row for an order that is not charged to a card.'
    return [{ rule: order.test ? 'charge-of-test-order' : 'charge-unwanted', detail, disagree }]
  }
  const expected = expectedStates(order, payment)
  const isRight = expected.includes(order.paymentState) && (!isPaid || matchesOutcome(order, payment))
  if (isRight) return []
  const detail = `The state is ${order.paymentState} in orders and ${payment?.state ?? 'absent'} in payments.`
  return [{ rule: 'payment-state', detail, disagree }]
}

function expectedStates(order: OrderEntry, payment: PaymentRow | null): PaymentState[] {
  if (order.test) return ['NOT_REQUIRED']
  if (order.payment === 'cash')
    return isFulfilled(order) ? ['DUE', 'REFUNDED'] : ['DUE', 'VOIDED', 'REFUNDED']
  if (!isCharged(order)) return ['NOT_REQUIRED']
  if (isFulfilled(order)) return [payment?.state === 'refunded' ? 'REFUNDED' : 'CHARGED']
  return [payment?.state === 'refunded' ? 'REFUNDED' : 'VOIDED']
}

/** Returns whether the state of the payment matches the outcome of the order. */
function matchesOutcome(order: OrderEntry, payment: PaymentRow | null): boolean {
  if (isFulfilled(order)) return payment?.state === 'captured' || payment?.state === 'refunded'
  return payment === null || ['declined', 'voided', 'refunded', 'released'].includes(payment.state)
}

/** Compares orders with deliveries. */
function compareDelivery(order: OrderEntry, { delivery }: OtherBooks): Found[] {
  const disagree: Book[] = ['orders', 'deliveries']
  if (order.outcome === 'transmitted' && delivery !== 'accepted') {
    const detail = 'The order is transmitted, but no restaurant has accepted it.'
    return [{ rule: 'delivery-missing', detail, disagree }]
  }
  if (order.outcome === 'failed' && delivery === 'accepted') {
    const detail = 'The order failed, but its restaurant has accepted it.'
    return [{ rule: 'delivery-unwanted', detail, disagree }]
  }
  return []
}

/** Returns the mismatch of a charge whose order is not among those of the compared time. `known`: whether its order exists. */
export function compareStrayCharge(charge: Charge, payment: PaymentRow | null, known: boolean): Mismatch[] {
  // Its order is compared with the orders of its own time.
  if (known && payment?.processorId === charge.id) return []
  if (!isOpen(charge)) return []
  const says = {
    orders: null,
    payments: paymentWords(payment),
    processor: chargeWords(charge),
    deliveries: null,
  }
  if (!known) {
    const detail = 'The processor has a charge for an order that does not exist.'
    return [
      stray(charge.reference, 'charge-without-order', { detail, disagree: ['orders', 'processor'], says }),
    ]
  }
  const detail = 'The processor has a charge without a row in payments.'
  return [stray(charge.reference, 'charge-twice', { detail, disagree: ['payments', 'processor'], says })]
}

/** Returns the mismatch of a payment whose order does not exist. */
export function orphanedPayment(payment: PaymentRow): Mismatch {
  return stray(payment.orderApiKey, 'payment-without-order', {
    detail: 'Payments has a row for an order that does not exist.',
    disagree: ['orders', 'payments'],
    says: { orders: null, payments: paymentWords(payment), processor: null, deliveries: null },
  })
}

const stray = (
  orderApiKey: string,
  rule: MismatchRule,
  what: Pick<Mismatch, 'detail' | 'disagree' | 'says'>,
): Mismatch => ({ orderApiKey, rule, remedy: REMEDIES[rule], ...what })

// Texts --------------------------------------------------------------------------------------------------

const refundWords = (refunded: Cents | undefined): string =>
  refunded ? `, ${formatAmount(refunded)} refunded` : ''
const chargeWords = ({ id, status, amount, refunded }: Charge): string =>
  `${status} ${formatAmount(amount)} as ${id}${status === 'captured' ? refundWords(refunded) : ''}`
const inWords = (charges: readonly Charge[]): string => charges.map(chargeWords).join(', ')

function paymentWords(payment: PaymentRow | null): string | null {
  if (!payment) return null
  const { state, amount, processorId } = payment
  return [state, amount === null ? null : formatAmount(amount), processorId && `as ${processorId}`]
    .filter((word) => word !== null)
    .join(' ')
}

function wordsOf(order: OrderEntry, { payment, charges, delivery }: OtherBooks): Mismatch['says'] {
  const kind = order.test ? ['test'] : []
  const end = order.cancelled ? ['cancelled'] : []
  const words = [order.outcome, ...end, ...kind, order.payment, formatAmount(order.total), order.paymentState]
  return {
    orders: words.join(', ') + refundWords(order.refunded),
    payments: paymentWords(payment),
    processor: charges.length === 0 ? null : inWords(charges),
    deliveries: delivery,
  }
}
