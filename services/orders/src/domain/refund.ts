import {
  cents,
  formatAmount,
  toCents,
  problems,
  toMoney,
  type Cents,
  type Fault,
  type OrdersSetRefunds,
  type PaymentState,
  type Refund,
  type RefundRequest,
  type Refusal,
} from '@platter/contracts'

export type OrderDispute = NonNullable<OrdersSetRefunds['dispute']>

/** A stored refund. Amounts are in cents; those of items include their shares of the tax. */
export type OrderRefund = Omit<Refund, 'amount' | 'items'> & {
  amount: Cents
  items: { index: number; amount: Cents }[]
  delivery: Cents
  tip: Cents
  /** Epoch seconds; only for a failed refund that was requested here. */
  failedAt?: number
  /** The fingerprint of its request; only with an Idempotency-Key. Absent in refunds of an earlier version. */
  fingerprint?: string
}

/** The amounts that a customer pays in addition to the subtotal. */
type Charges = { items: readonly { totalPrice: Cents }[]; tax: Cents; tip: Cents; deliveryPrice: Cents }

/** The part of an order that a refund depends on. */
export type Refundable = {
  total: Cents
  details: Charges
  paymentState: PaymentState
  status: string
  cancellation: object | null
  refunds: readonly OrderRefund[]
  dispute: Pick<OrderDispute, 'state' | 'amount' | 'lost' | 'isRefundable'> | null
}

const NOTHING = cents(0)
const CANCELLED =
  'The order is cancelled, so nothing is left to refund. If the refund of its charge failed, the operator repeats it at the payment processor.'
const sum = (amounts: readonly number[]): Cents => cents(amounts.reduce((total, amount) => total + amount, 0))

/** Returns the sum of the refunds that have not failed: reserved or returned. */
export const reservedOf = (refunds: readonly OrderRefund[]): Cents =>
  sum(refunds.filter(({ state }) => state !== 'FAILED').map(({ amount }) => amount))

export const returnedOf = (refunds: readonly OrderRefund[]): Cents =>
  sum(refunds.filter(({ state }) => state === 'DONE').map(({ amount }) => amount))

/** Returns the cents of the lost disputes. Disputes of an earlier version have them only if no other one is open. */
export const lostOf = (dispute: Refundable['dispute']): Cents =>
  dispute?.lost ?? (dispute?.state === 'LOST' ? dispute.amount : NOTHING)

/** Returns what the release of a cancelled order will refund of its total. After a lost dispute the processor refuses every refund. */
export const releasedOf = (
  { refunds, dispute }: Pick<Refundable, 'refunds' | 'dispute'>,
  total: number,
): Cents => (lostOf(dispute) > 0 ? NOTHING : cents(Math.max(0, total - reservedOf(refunds))))

/**
 * Divides an amount in proportion to the weights; the parts sum to it exactly. Cents that remain after rounding down go to the
 * largest remainders, and among equal ones to the first (largest remainder method).
 */
export function apportion(amount: Cents, weights: readonly Cents[]): Cents[] {
  const whole = sum(weights)
  if (whole === 0) return weights.map((_, at) => (at === 0 ? amount : NOTHING))
  // Up to 10^8 times 10^8, which is exact only as a BigInt.
  const products = weights.map((weight) => BigInt(amount) * BigInt(weight))
  const parts = products.map((product) => Number(product / BigInt(whole)))
  const byRemainder = products
    .map((product, at) => ({ at, rest: product % BigInt(whole) }))
    .toSorted((one, other) => (one.rest === other.rest ? one.at - other.at : one.rest > other.rest ? -1 : 1))
  const left = amount - sum(parts)
  const raised = new Set(byRemainder.slice(0, left).map(({ at }) => at))
  return parts.map((part, at) => cents(raised.has(at) ? part + 1 : part))
}

/** Returns each item's price with its share of the tax: the amount that the customer paid for it. */
export function paidForItems({ items, tax }: Pick<Charges, 'items' | 'tax'>): Cents[] {
  const prices = items.map(({ totalPrice }) => totalPrice)
  const shares = apportion(tax, prices)
  return prices.map((price, at) => cents(price + (shares[at] ?? 0)))
}

type Parts = Pick<OrderRefund, 'amount' | 'items' | 'delivery' | 'tip'>
type Request = Pick<RefundRequest, 'amount' | 'items' | 'includeDelivery' | 'includeTip' | 'all'>

/** Returns the parts of a refund, or why it is refused (docs/interface.md, "Refunds"). */
export function refundParts(order: Refundable, request: Request): Parts | { refusal: Refusal } {
  if (order.cancellation !== null) return exceeds(CANCELLED, '')
  const left = leftOf(order)
  if (left === null)
    return refused('not-charged-yet', 'The order is not charged yet. Please try again in some seconds.')
  if (left > 0 && isRefusedByProcessor(order.dispute))
    return refused('charge-disputed', problems['charge-disputed'].why)
  const parts = partsOf(order, request, left)
  if ('refusal' in parts) return parts
  if (parts.amount === 0) return tooLarge(NOTHING, '')
  if (parts.amount > left) return tooLarge(left, '')
  return parts
}

/** Stripe also refuses to refund what a lost dispute has left of a charge. */
const isRefusedByProcessor = (dispute: Refundable['dispute']): boolean =>
  dispute !== null && dispute.state !== 'WON' && dispute.isRefundable === false

/** Returns the cents that neither a refund nor a lost dispute has returned; null while the order may still be charged. */
function leftOf({ paymentState, status, total, refunds, dispute }: Refundable): Cents | null {
  if (paymentState === 'PENDING' || paymentState === 'AUTHORIZED') return null
  if (paymentState === 'DUE' && status === 'PROCESSING') return null
  const isPaid = paymentState === 'CHARGED' || paymentState === 'DUE'
  // A lost dispute may include what was refunded before.
  return isPaid ? cents(Math.max(0, total - reservedOf(refunds) - lostOf(dispute))) : NOTHING
}

function partsOf(order: Refundable, request: Request, left: Cents): Parts | { refusal: Refusal } {
  const none = { items: [], delivery: NOTHING, tip: NOTHING }
  if (request.all) return { ...none, amount: left }
  if (request.amount !== undefined) return { ...none, amount: toCents(request.amount) ?? NOTHING }
  const { details } = order
  const reserved = order.refunds.filter(({ state }) => state !== 'FAILED')
  const items = itemsOf({ details, reserved }, request.items ?? [])
  if ('refusal' in items) return items
  const delivery = request.includeDelivery
    ? cents(details.deliveryPrice - sum(reserved.map((one) => one.delivery)))
    : NOTHING
  const tip = request.includeTip ? cents(details.tip - sum(reserved.map((one) => one.tip))) : NOTHING
  return { items, delivery, tip, amount: sum([...items.map(({ amount }) => amount), delivery, tip]) }
}

function itemsOf(
  { details, reserved }: { details: Charges; reserved: readonly OrderRefund[] },
  requested: NonNullable<Request['items']>,
): OrderRefund['items'] | { refusal: Refusal } {
  const paid = paidForItems(details)
  const items: OrderRefund['items'] = []
  for (const [at, { index, amount }] of requested.entries()) {
    const price = paid[index]
    if (price === undefined) return unknownItem(at, paid.length)
    const parts = reserved.flatMap((one) => one.items.filter((item) => item.index === index))
    const left = cents(price - sum(parts.map((part) => part.amount)))
    const wanted = amount === undefined ? left : (toCents(amount) ?? NOTHING)
    if (wanted > left || wanted === 0) return tooLarge(left, `/items/${at}`)
    items.push({ index, amount: wanted })
  }
  return items
}

const refused = (code: Refusal['code'], detail: string, faults?: Fault[]): { refusal: Refusal } => ({
  refusal: { code, detail, ...(faults && { faults }) },
})

function tooLarge(left: Cents, pointer: string) {
  const what = pointer === '' ? '' : ' of this item'
  const detail =
    left === 0 ? `Nothing${what} is left to refund.` : `At most ${formatAmount(left)}${what} can be refunded.`
  return exceeds(detail, pointer)
}

const exceeds = (detail: string, pointer: string) =>
  refused('refund-too-large', detail, [{ pointer, code: 'refund-too-large', detail }])

function unknownItem(at: number, count: number) {
  const detail = `items.${at}.index is not one of the ${count} items of the order, from 0 to ${count - 1}.`
  return refused('invalid-field', detail, [{ pointer: `/items/${at}/index`, code: 'invalid-field', detail }])
}

/** Returns a refund that was made at the processor, not by Platter. */
export const refundOfProcessor = (
  { amount, state, date }: OrdersSetRefunds['refunds'][number],
  apiKey: string,
): OrderRefund => ({
  apiKey,
  amount,
  state,
  date,
  reason: 'OTHER',
  items: [],
  delivery: NOTHING,
  tip: NOTHING,
  requestedBy: 'processor',
  borneBy: 'platform',
})

/** Returns the record for clients. */
export function refundRecord(refund: OrderRefund): Refund {
  const {
    amount,
    items,
    delivery: _delivery,
    tip: _tip,
    failedAt: _failedAt,
    fingerprint: _fingerprint,
    ...same
  } = refund
  const shown = items.map((item) => ({ index: item.index, amount: toMoney(item.amount) }))
  return { ...same, amount: toMoney(amount), ...(shown.length > 0 && { items: shown }) }
}
