import {
  toMoney,
  type Book,
  type Cents,
  type Charge,
  type Mismatch,
  type MismatchRule,
  type Payment,
  type PaymentRow,
  type PaymentState,
} from '@platter/contracts'
import { isCharged } from '#/domain/order.ts'

/** What the orders service has of an order whose saga has ended. */
export type OrderEntry = {
  apiKey: string
  payment: Payment
  test: boolean
  total: Cents
  outcome: 'pending' | 'transmitted' | 'failed'
  cancelled: boolean
  paymentState: PaymentState
}

/** What the other books have of it. */
export type OtherBooks = {
  payment: PaymentRow | null
  charges: readonly Charge[]
  delivery: 'accepted' | 'refused' | 'unreachable' | null
}

type Found = { rule: MismatchRule; detail: string; disagree: Book[] }

/** Whether the customer gets it, and pays for it. */
export const stands = ({ outcome, cancelled }: OrderEntry): boolean => outcome === 'transmitted' && !cancelled

/**
 * Where the books of an order do not fit to one another: the invariant of docs/interface.md ("Payment invariant"), and
 * each book's word against the next one's. None for an order as it should be.
 */
export function judgeOrder(order: OrderEntry, others: OtherBooks): Mismatch[] {
  const found = [
    ...judgeCharges(order, others.charges),
    ...judgePayment(others),
    ...judgePaymentState(order, others.payment),
    ...judgeDelivery(order, others),
  ]
  const says = wordsOf(order, others)
  return found.map((one) => ({ orderApiKey: order.apiKey, ...one, says }))
}

const isAlive = ({ status }: Charge): boolean => status === 'authorized' || status === 'captured'

/** Orders against the processor. */
function judgeCharges(order: OrderEntry, charges: readonly Charge[]): Found[] {
  const disagree: Book[] = ['orders', 'processor']
  if (order.test) {
    if (charges.length === 0) return []
    return [
      { rule: 'charge-of-test-order', detail: 'A test order has come to the payment processor.', disagree },
    ]
  }
  const alive = charges.filter(isAlive)
  if (!stands(order) || !isCharged(order)) {
    if (alive.length === 0) return []
    const detail = `${inWords(alive)}, and nothing should be held or taken for this order.`
    return [{ rule: 'charge-unwanted', detail, disagree }]
  }
  const [charge] = alive
  if (alive.length > 1)
    return [
      { rule: 'charge-twice', detail: `There are ${alive.length} charges: ${inWords(alive)}.`, disagree },
    ]
  if (charge?.status !== 'captured')
    return [{ rule: 'charge-missing', detail: 'Nothing is captured for an order that stands.', disagree }]
  if (charge.amount === order.total && charge.differs === undefined) return []
  const detail =
    charge.differs ?? `The order is ${money(order.total)}, the charge is ${money(charge.amount)}.`
  return [{ rule: 'charge-amount', detail, disagree }]
}

/** Payments against the processor. */
function judgePayment({ payment, charges }: OtherBooks): Found[] {
  if (!payment || payment.processorId === null) return []
  const disagree: Book[] = ['payments', 'processor']
  const charge = charges.find(({ id }) => id === payment.processorId)
  if (!charge) {
    const detail = `The processor does not know ${payment.processorId}.`
    return [{ rule: 'payment-unknown-to-processor', detail, disagree }]
  }
  const found: Found[] = []
  if (charge.status !== payment.state) {
    const detail = `Payments say ${payment.state}, the processor says ${charge.status}.`
    found.push({ rule: 'payment-state', detail, disagree })
  }
  if (charge.amount !== payment.amount) {
    const ours = payment.amount === null ? 'nothing' : money(payment.amount)
    const detail = `Payments say ${ours}, the processor says ${money(charge.amount)}.`
    found.push({ rule: 'charge-amount', detail, disagree })
  }
  return found
}

/** Orders against payments. */
function judgePaymentState(order: OrderEntry, payment: PaymentRow | null): Found[] {
  const disagree: Book[] = ['orders', 'payments']
  const isPaid = isCharged(order)
  if (!isPaid && payment && payment.amount !== null) {
    const detail = 'Payments were asked for an order that is not charged to a card.'
    return [{ rule: order.test ? 'charge-of-test-order' : 'charge-unwanted', detail, disagree }]
  }
  const expected = expectedStates(order, payment)
  const isRight = expected.includes(order.paymentState) && (!isPaid || isEnded(order, payment))
  if (isRight) return []
  const detail = `The order says ${order.paymentState}, payments say ${payment?.state ?? 'nothing'}.`
  return [{ rule: 'payment-state', detail, disagree }]
}

function expectedStates(order: OrderEntry, payment: PaymentRow | null): PaymentState[] {
  if (order.test) return ['NOT_REQUIRED']
  if (order.payment === 'cash') return stands(order) ? ['DUE'] : ['DUE', 'VOIDED']
  if (!isCharged(order)) return ['NOT_REQUIRED']
  if (stands(order)) return ['CHARGED']
  return [payment?.state === 'refunded' ? 'REFUNDED' : 'VOIDED']
}

/** Whether the row is where the order's end left it. */
function isEnded(order: OrderEntry, payment: PaymentRow | null): boolean {
  if (stands(order)) return payment?.state === 'captured'
  return payment === null || ['declined', 'voided', 'refunded', 'released'].includes(payment.state)
}

/** Orders against deliveries. */
function judgeDelivery(order: OrderEntry, { delivery }: OtherBooks): Found[] {
  const disagree: Book[] = ['orders', 'deliveries']
  if (order.outcome === 'transmitted' && delivery !== 'accepted') {
    const detail = 'The order is transmitted, and no restaurant has accepted it.'
    return [{ rule: 'delivery-missing', detail, disagree }]
  }
  if (order.outcome === 'failed' && delivery === 'accepted') {
    const detail = 'The order came to nothing, and its restaurant has accepted it.'
    return [{ rule: 'delivery-unwanted', detail, disagree }]
  }
  return []
}

/** A charge that no order of its time has for its own. `known`: whether there is such an order at all. */
export function judgeStray(charge: Charge, payment: PaymentRow | null, known: boolean): Mismatch[] {
  // Its order is judged with the orders of its own time.
  if (known && payment?.processorId === charge.id) return []
  if (!isAlive(charge)) return []
  const says = {
    orders: null,
    payments: paymentWords(payment),
    processor: chargeWords(charge),
    deliveries: null,
  }
  if (!known) {
    const detail = 'The processor has a charge for an order that nobody has.'
    return [stray(charge.reference, 'charge-of-nobody', { detail, disagree: ['orders', 'processor'], says })]
  }
  const detail = 'The processor has a charge that payments do not know.'
  return [stray(charge.reference, 'charge-twice', { detail, disagree: ['payments', 'processor'], says })]
}

/** A row of payments whose order nobody has. */
export function paymentOfNobody(payment: PaymentRow): Mismatch {
  return stray(payment.orderApiKey, 'payment-of-nobody', {
    detail: 'Payments were asked for an order that nobody has.',
    disagree: ['orders', 'payments'],
    says: { orders: null, payments: paymentWords(payment), processor: null, deliveries: null },
  })
}

const stray = (
  orderApiKey: string,
  rule: MismatchRule,
  what: Pick<Mismatch, 'detail' | 'disagree' | 'says'>,
): Mismatch => ({ orderApiKey, rule, ...what })

// In words --------------------------------------------------------------------------------------------------

const money = (amount: Cents): string => toMoney(amount).toFixed(2)

const chargeWords = ({ id, status, amount }: Charge): string => `${status} ${money(amount)} as ${id}`
const inWords = (charges: readonly Charge[]): string => charges.map(chargeWords).join(', ')

function paymentWords(payment: PaymentRow | null): string | null {
  if (!payment) return null
  const { state, amount, processorId } = payment
  return [state, amount === null ? null : money(amount), processorId && `as ${processorId}`]
    .filter((word) => word !== null)
    .join(' ')
}

function wordsOf(order: OrderEntry, { payment, charges, delivery }: OtherBooks): Mismatch['says'] {
  const kind = order.test ? ['test'] : []
  const end = order.cancelled ? ['cancelled'] : []
  const words = [order.outcome, ...end, ...kind, order.payment, money(order.total), order.paymentState]
  return {
    orders: words.join(', '),
    payments: paymentWords(payment),
    processor: charges.length === 0 ? null : inWords(charges),
    deliveries: delivery,
  }
}
