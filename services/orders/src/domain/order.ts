import {
  cents,
  formatAmount,
  toCents,
  toMoney,
  type Address,
  type Cancellation,
  type Cents,
  type CreditCard,
  type Dispute,
  type Fault,
  type Method,
  type Order,
  type OrderRequest,
  type OrderStatus,
  type Payment,
  type PaymentAction,
  type PaymentState,
  type Quote,
  type Recipient,
} from '@platter/contracts'

import type { Reports } from '#/domain/order-status.ts'
import { refundRecord, returnedOf, type OrderDispute, type OrderRefund } from '#/domain/refund.ts'

/** A card as an order shows it. A new card that is not saved has no apiKey. */
export type OrderCard = Omit<CreditCard, 'apiKey'> & { apiKey: string | null }

/** The immutable part of an order. Money in cents. */
export type OrderDetails = {
  recipient: Recipient
  items: (Quote['items'][number] & { comments: string | null })[]
  card: OrderCard | null
  address: Address | null
  comments: string | null
  subtotal: Cents
  tax: Cents
  tip: Cents
  deliveryPrice: Cents
  /** Minutes, as of the time of the order; absent in older orders. */
  customerCancelMinutes?: number
  /** As of the time of the order, for operators; absent in older orders. */
  restaurantPhone?: string | undefined
}

/** A checked and priced order: the result of validate-order, and of the checks of send-order. */
export type PricedOrder = {
  method: Method
  payment: Payment
  test: boolean
  restaurantApiKey: string
  recipientApiKey: string | null
  total: Cents
  details: OrderDetails
}

/** An order after commit 1. */
export type PlacedOrder = PricedOrder & {
  apiKey: string
  id: number
  /** Epoch seconds. */
  datePlaced: number
  status: OrderStatus
  paymentState: PaymentState
  /** Set while the bank awaits the customer's authentication. */
  paymentAction?: PaymentAction | null
  cancellation: Cancellation | null
  /** Oldest first. */
  refunds: readonly OrderRefund[]
  dispute: OrderDispute | null
  /** The detail of its restaurant's reports, by its link at the time of the order. */
  reports: Reports
}

/** Returns whether its status is final. */
export const isOver = ({ status, cancellation }: PlacedOrder): boolean =>
  status === 'DELIVERED' || cancellation !== null

/** The largest tip for a small subtotal: 50.00 (docs/interface.md, "Order checks"). */
const SMALL_ORDER_TIP_LIMIT = cents(5_000)

/** 999,999.99 in cents: Stripe's largest amount (docs.stripe.com/currencies, eight digits), far below PostgreSQL's integer. */
export const MAX_TOTAL = cents(99_999_999)

/**
 * Converts the tip to cents, or returns its fault. The limit is the larger of 50.00 and the subtotal, for delivery and pickup
 * (docs/interface.md, "Order checks"). `subtotal`: null if an item has no price; then the limit is that of the total.
 */
export function checkTip(tip: number, subtotal: Cents | null): { tip: Cents } | { fault: Fault } {
  if (tip < 0) return tipFault('tip is less than 0.')
  const limit = subtotal === null ? MAX_TOTAL : cents(Math.max(SMALL_ORDER_TIP_LIMIT, subtotal))
  if (tip > toMoney(limit)) return tipFault(`tip is more than ${formatAmount(limit)}.`)
  const amount = toCents(tip)
  return amount === null ? tipFault('tip has more than two decimals.') : { tip: amount }
}

export const totalOf = ({ subtotal, tax, deliveryPrice }: Quote, tip: Cents): Cents =>
  cents(subtotal + tax + deliveryPrice + tip)

type Paid = { payment: Payment; test: boolean; total: Cents }

/** Returns whether the processor authorizes and captures the total. It accepts no amount of 0. */
export const isCharged = ({ payment, test, total }: Paid): boolean => payment === 'card' && !test && total > 0

/** `cardMinimum`: the minimum amount of the payment processor. */
export function totalFaults(order: Paid, cardMinimum: Cents): Fault[] {
  const { total } = order
  if (total > MAX_TOTAL) {
    const detail = `The total is ${formatAmount(total)}, and at most ${formatAmount(MAX_TOTAL)} is possible. Order fewer items.`
    return [{ pointer: '/items', code: 'total-too-large', detail }]
  }
  if (!isCharged(order) || total >= cardMinimum) return []
  const detail = `The total is ${formatAmount(total)}, and by card at least ${formatAmount(cardMinimum)} is needed. Order more, or pay in cash.`
  return [{ pointer: '/payment', code: 'below-card-minimum', detail }]
}

const tipFault = (detail: string): { fault: Fault } => ({
  fault: { pointer: '/tip', code: 'tip-out-of-range', detail },
})

/** Returns the order with its prices. */
export function priceOrder(
  request: Omit<OrderRequest, 'address' | 'card'>,
  quote: Quote,
  known: { recipient: Recipient; card: OrderCard | null; address: Address | null; tip: Cents },
): PricedOrder {
  const { recipient, card, address, tip } = known
  const { subtotal, tax, deliveryPrice } = quote
  return {
    method: request.method,
    payment: request.payment,
    test: request.test,
    restaurantApiKey: request.restaurantApiKey,
    recipientApiKey: request.recipient.guest ? null : request.recipient.apiKey,
    total: totalOf(quote, tip),
    details: {
      recipient,
      items: quote.items.map((item, index) => ({
        ...item,
        comments: request.items[index]?.comments ?? null,
      })),
      card,
      address: address && {
        ...address,
        latitude: quote.point?.latitude ?? null,
        longitude: quote.point?.longitude ?? null,
      },
      comments: request.comments ?? null,
      subtotal,
      tax,
      tip,
      deliveryPrice,
      customerCancelMinutes: quote.customerCancelMinutes,
      restaurantPhone: quote.restaurantPhone,
    },
  }
}

/** Returns the payment state of an order at commit 1. */
export function firstPaymentState(order: PricedOrder): PaymentState {
  if (isCharged(order)) return 'PENDING'
  return order.payment === 'cash' && !order.test ? 'DUE' : 'NOT_REQUIRED'
}

/** Returns the record for clients. */
export function orderRecord(order: PricedOrder & Partial<PlacedOrder>): Order {
  const { items, subtotal, tax, tip, deliveryPrice, ...others } = order.details
  const { customerCancelMinutes: _minutes, restaurantPhone: _phone, ...details } = others
  const paymentState = order.paymentState ?? firstPaymentState(order)
  return {
    apiKey: order.apiKey ?? null,
    id: order.id ?? null,
    datePlaced: order.datePlaced ?? null,
    method: order.method,
    payment: order.payment,
    test: order.test,
    restaurantApiKey: order.restaurantApiKey,
    recipientApiKey: order.recipientApiKey,
    ...details,
    items: items.map((item) => ({
      ...item,
      basePrice: toMoney(item.basePrice),
      totalPrice: toMoney(item.totalPrice),
      customizationChoices: item.customizationChoices.map((choice) => ({
        ...choice,
        price: toMoney(choice.price),
      })),
    })),
    subtotal: toMoney(subtotal),
    tax: toMoney(tax),
    tip: toMoney(tip),
    deliveryPrice: toMoney(deliveryPrice),
    total: toMoney(order.total),
    status: order.status ?? 'PROCESSING',
    paymentState,
    ...afterSale(order, paymentState),
  }
}

/**
 * Returns the record for the application that sent the order. Restaurants and operators do not see the customer's link to the bank.
 */
export const clientRecord = (order: PlacedOrder): Order => ({
  ...orderRecord(order),
  ...(order.paymentAction && { paymentAction: order.paymentAction }),
})

/** Returns the record of a dispute for clients. */
export const disputeRecord = ({
  lost: _lost,
  isRefundable: _isRefundable,
  ...dispute
}: OrderDispute): Dispute => ({
  ...dispute,
  amount: toMoney(dispute.amount),
})

/** Sets the current payment state in the refund of a cancellation. */
function afterSale(
  { cancellation, refunds = [], dispute }: PricedOrder & Partial<PlacedOrder>,
  state: PaymentState,
) {
  const released = cancellation && state === 'REFUNDED' ? toCents(cancellation.refund.amount) : null
  return {
    cancellation: cancellation
      ? { ...cancellation, refund: { amount: cancellation.refund.amount, state } }
      : null,
    refunds: refunds.map(refundRecord),
    refundedTotal: toMoney(cents(returnedOf(refunds) + (released ?? 0))),
    dispute: dispute ? disputeRecord(dispute) : null,
  }
}
