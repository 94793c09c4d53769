import type { Refund, RefundReason, RestaurantOrder } from '@platter/contracts'
import { money } from '#/order.ts'

export const reasonLabels: Readonly<Record<Exclude<RefundReason, 'CANCELLED'>, string>> = {
  MISSING_ITEM: 'Item missing',
  WRONG_ITEM: 'Wrong item',
  QUALITY: 'Quality',
  LATE: 'Late',
  OVERCHARGED: 'Charged too much',
  GOODWILL: 'Goodwill',
  OTHER: 'Other',
}

export type Mark = 'missing' | 'wrong'

/** The selection in the dialog. `marks` are by the index of the item in the order. */
export type Selection = {
  kind: 'items' | 'all' | 'amount'
  marks: ReadonlyMap<number, Mark>
  includeDelivery: boolean
  includeTip: boolean
  /** As typed by the user. */
  amount: string
  reason: RefundReason | null
  message: string
}

export const NOTHING: Selection = {
  kind: 'items',
  marks: new Map(),
  includeDelivery: false,
  includeTip: false,
  amount: '',
  reason: null,
  message: '',
}

/** Marks an item. The same mark again removes it. */
export function toggleMark(selection: Selection, index: number, mark: Mark): Selection {
  const marks = new Map(selection.marks)
  if (marks.get(index) === mark) marks.delete(index)
  else marks.set(index, mark)
  return { ...selection, kind: 'items', marks }
}

/**
 * Returns the chosen reason, otherwise the reason that the marks imply. A refund has one reason; a wrong item takes precedence over
 * a missing one.
 */
export function reasonOf({ kind, marks, reason }: Selection): RefundReason | null {
  if (reason !== null || kind !== 'items' || marks.size === 0) return reason
  return [...marks.values()].includes('wrong') ? 'WRONG_ITEM' : 'MISSING_ITEM'
}

export type RefundParts =
  | { all: true }
  | { amount: number }
  | { items: { index: number }[]; includeDelivery?: true; includeTip?: true }

/** Returns the parts of the order to refund; null without a selection. */
export function partsOf(selection: Selection): RefundParts | null {
  if (selection.kind === 'all') return { all: true }
  if (selection.kind === 'amount') {
    const amount = amountOf(selection.amount)
    return amount === null ? null : { amount }
  }
  const { marks, includeDelivery, includeTip } = selection
  if (marks.size === 0 && !includeDelivery && !includeTip) return null
  return {
    items: [...marks.keys()].toSorted((one, other) => one - other).map((index) => ({ index })),
    ...(includeDelivery && { includeDelivery }),
    ...(includeTip && { includeTip }),
  }
}

export type RefundRequest = RefundParts & { reason: RefundReason; message?: string }

/** Returns the typed amount, with a point or a comma. Null if it is not an amount above zero with at most two decimals. */
export function amountOf(text: string): number | null {
  const match = /^\d{1,6}(?:[.,]\d{1,2})?$/.exec(text.trim())
  const amount = match ? Number(match[0].replace(',', '.')) : 0
  return amount > 0 ? amount : null
}

const cents = (amount: number): number => Math.round(amount * 100)

const sumOf = ({ refunds }: RestaurantOrder, state: Refund['state']): number =>
  refunds.filter((refund) => refund.state === state).reduce((sum, { amount }) => sum + cents(amount), 0) / 100

/** `refundedTotal` excludes pending refunds, so they are added. */
const refundedCents = (order: RestaurantOrder): number =>
  cents(order.refundedTotal) + cents(sumOf(order, 'PENDING'))

/** Returns the amount that can still be refunded. */
export const leftOf = (order: RestaurantOrder): number => (cents(order.total) - refundedCents(order)) / 100

/** Returns the amount that was already refunded for an item. A failed refund does not count. */
export const refundedOf = ({ refunds }: RestaurantOrder, index: number): number =>
  refunds
    .filter(({ state }) => state !== 'FAILED')
    .flatMap(({ items = [] }) => items)
    .filter((item) => item.index === index)
    .reduce((sum, { amount }) => sum + cents(amount), 0) / 100

/** The actions by which the console offers to reverse an order, or a part of it. */
export type Reversal = 'refuse' | 'refund' | 'cancel' | null

/**
 * Returns the offered action; the gateway decides. Before the restaurant has begun, it refuses the whole order. Afterwards it
 * refunds; the refund dialog also offers to cancel. A cash order that is not yet paid, and a test order, have nothing to refund.
 */
export function reversalOf(order: RestaurantOrder): Reversal {
  const { status, cancellation, payment, test } = order
  if (cancellation) return null
  if (status === 'PROCESSING' || status === 'AWAITING_PREPARATION') return 'refuse'
  const isDelivered = status === 'DELIVERED'
  const wasPaid = !test && (payment === 'card' || isDelivered)
  if (wasPaid && leftOf(order) > 0) return 'refund'
  return isDelivered ? null : 'cancel'
}

/** Returns a short label of the refunds; null without refunds. */
export function refundLabel(order: RestaurantOrder): string | null {
  const refunded = refundedCents(order)
  return refunded === 0 ? null : `Refunded ${money(refunded / 100)}`
}

/** Returns the state of the refunds: "Refunded 4.50 of 23.10"; null without refunds. */
export function refundText(order: RestaurantOrder): string | null {
  const label = refundLabel(order)
  const pending = sumOf(order, 'PENDING')
  if (label === null) return null
  return `${label} of ${money(order.total)}${pending === 0 ? '' : `, ${money(pending)} of it in progress`}`
}

/** Returns a warning about failed refunds; null without failed refunds. */
export function failedRefundText(order: RestaurantOrder): string | null {
  const failed = sumOf(order, 'FAILED')
  return failed === 0 ? null : `A refund of ${money(failed)} failed. The customer did not receive it.`
}
