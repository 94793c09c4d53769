import type { Books, LedgerLine, OrderRow, Receipt } from './books.ts'
import type { Entry } from './order-clients.ts'

/** A broken invariant: `order` has all records of the order. */
export type Violation = { what: string; order: unknown }

/** The expected final status of each kind of order for its client. */
const ENDS: Record<Entry['kind'], number> = {
  cash: 200,
  card: 200,
  challenged: 200,
  declined: 402,
  refused: 422,
  test: 200,
}

const PICKUP_PATHS = [
  ['PROCESSING', 'AWAITING_PREPARATION', 'PREPARING', 'READY_FOR_PICKUP', 'DELIVERED'],
  ['PROCESSING', 'AWAITING_PREPARATION', 'READY_FOR_PICKUP', 'DELIVERED'],
]

/**
 * Compares four independent records: the responses of the clients, the orders schema, the ledger of the processor and the receipts
 * of the restaurants.
 */
export function violationsOf(clients: readonly Entry[], books: Books): Violation[] {
  const byKey = Map.groupBy(books.orders, ({ key }) => key)
  const ledgerOf = Map.groupBy(books.ledger, ({ reference }) => reference)
  const receiptsOf = Map.groupBy(books.receipts, ({ orderApiKey }) => orderApiKey)
  const known = new Set(books.orders.map(({ apiKey }) => apiKey))
  return [
    ...clients.flatMap((entry) => ofClient(entry, byKey.get(entry.key) ?? [])),
    ...books.orders.flatMap((order) =>
      ofOrder({
        order,
        ledger: ledgerOf.get(order.apiKey) ?? [],
        receipts: receiptsOf.get(order.apiKey) ?? [],
      }),
    ),
    ...books.ledger
      .filter(({ reference }) => !known.has(reference))
      .map((order) => ({ what: 'the processor has a charge of an order that does not exist', order })),
  ]
}

/** A sentence about the broken invariant, or false if it holds. */
export type Check = false | string
type Response = NonNullable<Entry['response']>

export const violations = (checks: readonly Check[], order: unknown): Violation[] =>
  checks.filter((check) => check !== false).map((what) => ({ what, order }))

/** No order is lost or placed twice: the response of the client matches the orders schema. */
function ofClient(entry: Entry, orders: readonly OrderRow[]): Violation[] {
  const placed = orders.filter(({ outcome }) => outcome !== 'failed').length
  const checks: Check[] = [
    placed > 1 && `one Idempotency-Key, ${placed} orders`,
    ...(entry.response === null
      ? ['the client never received a final response']
      : ofResponse(entry.kind, entry.response, orders)),
  ]
  return violations(checks, { entry, orders })
}

function ofResponse(kind: Entry['kind'], response: Response, orders: readonly OrderRow[]): Check[] {
  const { status, apiKey, code, totalCents } = response
  const end = !hasRightEnd(kind, response, orders) && `${kind} ended with ${status} ${code ?? ''}`
  if (status !== 200) {
    const isStored = orders.some(({ outcome }) => outcome !== 'failed')
    return [isStored && `the response was ${status}, and an order is stored`, end]
  }
  const order = orders.find((one) => one.apiKey === apiKey)
  if (!order) return ['the client received an order that is not stored', end]
  const isSame = order.total === totalCents
  return [!isSame && `the total is ${totalCents} in the response, and ${order.total} is stored`, end]
}

/** An order without an outcome after 8 s returns 200 with PROCESSING. If it fails later, it is cancelled. */
const hasRightEnd = (
  kind: Entry['kind'],
  { status, apiKey }: Response,
  orders: readonly OrderRow[],
): boolean =>
  status === ENDS[kind] ||
  (status === 200 && orders.some((order) => order.apiKey === apiKey && order.told && order.cancelled))

type Records = { order: OrderRow; ledger: readonly LedgerLine[]; receipts: readonly Receipt[] }

/** No order is stuck, and its history is possible. */
function ofOrder(records: Records): Violation[] {
  const { order, receipts } = records
  const accepted = receipts.filter(({ outcome }) => outcome === 'accepted').length
  return violations(
    [
      (!order.finished || order.outcome === 'pending') && 'the saga has not finished',
      !isOnPath(order.statuses) && `impossible history: ${order.statuses.join(' → ')}`,
      ...ofPayment(records),
      !isDelivered(order, accepted) && `${order.outcome}, accepted ${accepted} times by the restaurant`,
    ],
    records,
  )
}

/** The restaurant may have accepted the order before its customer or an operator cancelled it. */
function isDelivered(order: OrderRow, accepted: number): boolean {
  const isByOthers = order.cancelledBy === 'customer' || order.cancelledBy === 'operator'
  return isByOthers ? accepted <= 1 : accepted === (isFulfilled(order) ? 1 : 0)
}

const isFulfilled = ({ outcome, cancelled }: OrderRow): boolean => outcome === 'transmitted' && !cancelled

const sum = (lines: readonly LedgerLine[]) => lines.reduce((total, { amount }) => total + amount, 0)

/** docs/interface.md, "Payment invariant". */
function ofPayment({ order, ledger }: Records): Check[] {
  const approved = (kind: LedgerLine['kind']) =>
    ledger.filter((line) => line.kind === kind && line.outcome === 'approved')
  const captured = sum(approved('capture'))
  const captures = approved('capture').length
  const authorized = approved('authorize').length
  const voids = approved('void').length
  if (order.test) return [ledger.length > 0 && 'a test order reached the processor']
  const refunds = ofRefunds(order, approved('refund'), captured)
  if (isFulfilled(order) && order.payment === 'card')
    return [
      (captures !== 1 || captured !== order.total) &&
        `${captures} captures with ${captured} of ${order.total}`,
      (authorized !== 1 || voids > 0) && `${authorized} authorizations, ${voids} voids`,
      ...refunds,
    ]
  const isBalanced = captured === sum(approved('refund')) && authorized === voids + captures
  return [!isBalanced && 'an unfulfilled order has an authorization or a charge left', ...refunds]
}

/** docs/interface.md, "Refunds": captured − refunded at the processor = total − refundedTotal. Each refund occurs once. */
function ofRefunds(order: OrderRow, lines: readonly LedgerLine[], captured: number): Check[] {
  const back = sum(lines)
  const done = order.refunds.filter(({ state }) => state === 'DONE')
  const shown = done.reduce((total, { amount }) => total + amount, 0)
  const isAtOnce = order.payment === 'cash'
  // A refund from the processor has no line under its apiKey.
  const wrong = order.refunds.filter(({ apiKey, amount, state, requestedBy }) => {
    const amounts = lines.filter((line) => line.idempotencyKey === apiKey).map((line) => line.amount)
    const expected = state === 'DONE' && !isAtOnce && requestedBy !== 'processor' ? [amount] : []
    return String(amounts) !== String(expected)
  })
  return [
    order.refunds.some(({ state }) => state === 'PENDING') && 'a refund has no result',
    back > captured && `refunded ${back} of ${captured}`,
    shown > order.total && `${shown} of ${order.total} are shown as refunded`,
    wrong.length > 0 && `the ledger has no such refund: ${JSON.stringify(wrong)}`,
    isFulfilled(order) && !isAtOnce && back !== shown && `${back} refunded, ${shown} shown as refunded`,
    captured > 0 &&
      order.cancelled &&
      order.cancellationRefund + shown !== captured &&
      `cancelled: ${order.cancellationRefund} and ${shown} are shown as refunded, of ${captured}`,
  ]
}

/** Returns true if the statuses are the beginning of a path from PROCESSING to DELIVERED. */
const isOnPath = (statuses: readonly string[]): boolean =>
  statuses.length > 0 && PICKUP_PATHS.some((path) => statuses.every((status, at) => path[at] === status))

/** A request after the sale under one idempotency key, with the apiKeys of its successful responses. */
export type Change = {
  what: 'refund' | 'refund at the processor' | 'cancellation by the operator' | 'cancellation by the customer'
  order: string
  key: string
  /** The status of the final response. */
  status: number | null
  apiKeys: string[]
}

/** Each requested refund is exactly one refund of its order, even after lost requests or responses. Each cancellation persists. */
export function violationsAfterSale(changes: readonly Change[], orders: readonly OrderRow[]): Violation[] {
  const byOrder = Map.groupBy(changes, ({ order }) => order)
  return orders.flatMap((order) => {
    const own = byOrder.get(order.apiKey) ?? []
    const requested = own
      .filter(({ what, status }) => what === 'refund' && status === 200)
      .map(({ apiKeys }) => [...new Set(apiKeys)].join())
    const stored = order.refunds
      .filter(({ requestedBy }) => requestedBy === 'operator')
      .map(({ apiKey }) => apiKey)
    const isCancelled = own.some(({ what, status }) => what.startsWith('cancellation') && status === 200)
    return violations(
      [
        own.some(({ status }) => status === null) && 'a request after the sale has no final response',
        String(requested.toSorted()) !== String(stored.toSorted()) && 'the refunds are not those requested',
        isCancelled && !order.cancelled && 'an order is not cancelled after a successful cancellation',
      ],
      { order, own },
    )
  })
}
