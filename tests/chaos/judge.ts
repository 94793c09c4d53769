import type { Books, LedgerLine, OrderRow, Receipt } from './books.ts'
import type { Entry } from './clients.ts'

/** Something that must not be: `what` as a sentence, and everything that the books say of the order. */
export type Violation = { rule: string; what: string; order: unknown }

/** How each kind of order has to end for its client. */
const ENDS: Record<Entry['kind'], number> = { cash: 200, card: 200, declined: 402, refused: 422, test: 200 }

const PICKUP_PATHS = [
  ['PROCESSING', 'AWAITING_PREPARATION', 'PREPARING', 'READY_FOR_PICKUP', 'DELIVERED'],
  ['PROCESSING', 'AWAITING_PREPARATION', 'READY_FOR_PICKUP', 'DELIVERED'],
]

/** Judges by four books that were written apart: the clients', the orders schema, the processor's ledger, the restaurants' receipts. */
export function judge(clients: readonly Entry[], books: Books): Violation[] {
  const byKey = Map.groupBy(books.orders, ({ key }) => key)
  const moneyOf = Map.groupBy(books.ledger, ({ reference }) => reference)
  const receiptsOf = Map.groupBy(books.receipts, ({ orderApiKey }) => orderApiKey)
  const known = new Set(books.orders.map(({ apiKey }) => apiKey))
  return [
    ...clients.flatMap((entry) => judgeClient(entry, byKey.get(entry.key) ?? [])),
    ...books.orders.flatMap((order) =>
      judgeOrder(order, moneyOf.get(order.apiKey) ?? [], receiptsOf.get(order.apiKey) ?? []),
    ),
    ...books.ledger
      .filter(({ reference }) => !known.has(reference))
      .map((line) => ({
        rule: 'charged for nothing',
        what: 'the processor was asked for an order that nobody has',
        order: line,
      })),
  ]
}

/** Nothing lost, nothing twice: what the client was told is what the orders schema has. */
function judgeClient(entry: Entry, orders: readonly OrderRow[]): Violation[] {
  const found: Violation[] = []
  const violation = (rule: string, what: string) => found.push({ rule, what, order: { entry, orders } })
  const { answer } = entry
  const placed = orders.filter(({ outcome }) => outcome !== 'failed')
  if (!answer) violation('no answer', 'the client never got a final answer')
  if (placed.length > 1) violation('ordered twice', `one Idempotency-Key, ${placed.length} orders`)
  if (answer?.status === 200) {
    const order = orders.find(({ apiKey }) => apiKey === answer.apiKey)
    if (!order) violation('lost', 'the client was given an order that is not there')
    else if (order.total !== answer.totalCents)
      violation('wrong total', `${answer.totalCents} told, ${order.total} stored`)
  } else if (placed.length > 0 && answer)
    violation('refused but placed', `answered ${answer.status}, and there is an order`)
  if (answer && !isRightEnd(entry.kind, answer, orders))
    violation('wrong end', `${entry.kind} ended with ${answer.status} ${answer.code ?? ''}`)
  return found
}

/** What was undecided when time was up was given at PROCESSING, 200; when it failed after that, it was cancelled. */
const isRightEnd = (
  kind: Entry['kind'],
  { status, apiKey }: NonNullable<Entry['answer']>,
  orders: readonly OrderRow[],
): boolean =>
  status === ENDS[kind] ||
  (status === 200 && orders.some((order) => order.apiKey === apiKey && order.told && order.cancelled))

type Side = { order: OrderRow; money: readonly LedgerLine[]; receipts: readonly Receipt[] }

/** Nothing is stuck, and the history is one that an order can have. */
function judgeOrder(
  order: OrderRow,
  money: readonly LedgerLine[],
  receipts: readonly Receipt[],
): Violation[] {
  const side = { order, money, receipts }
  const wrong: (false | [rule: string, what: string])[] = [
    (!order.finished || order.outcome === 'pending') && ['stuck', 'the saga has not ended'],
    !isOnPath(order.statuses) && ['wrong history', order.statuses.join(' → ')],
    ...judgeMoney(side),
    ...judgeDelivery(side),
  ]
  return wrong.filter((one) => one !== false).map(([rule, what]) => ({ rule, what, order: side }))
}

const stands = ({ outcome, cancelled }: OrderRow): boolean => outcome === 'transmitted' && !cancelled

const sum = (lines: readonly LedgerLine[]) => lines.reduce((total, { amount }) => total + amount, 0)

/** docs/interface.md, "Payment invariant". */
function judgeMoney({ order, money }: Side): (false | [string, string])[] {
  const approved = (kind: LedgerLine['kind']) =>
    money.filter((line) => line.kind === kind && line.outcome === 'approved')
  const captured = sum(approved('capture'))
  const held = approved('authorize').length
  const givenBack = approved('void').length + approved('refund').length
  if (order.test) return [money.length > 0 && ['test order charged', 'a test order reached the processor']]
  if (stands(order) && order.payment === 'card') {
    return [
      (approved('capture').length !== 1 || captured !== order.total) && [
        'wrong charge',
        `captured ${captured} of ${order.total}`,
      ],
      (held !== 1 || givenBack > 0) && ['wrong charge', `${held} authorized, ${givenBack} given back`],
    ]
  }
  const isEven = captured === sum(approved('refund')) && held === givenBack
  return [!isEven && ['charged for nothing', 'something is held or taken for an order that does not stand']]
}

function judgeDelivery({ order, receipts }: Side): (false | [string, string])[] {
  const accepted = receipts.filter(({ outcome }) => outcome === 'accepted').length
  return [
    accepted !== (stands(order) ? 1 : 0) && [
      'wrong delivery',
      `${order.outcome}, accepted ${accepted} times by the restaurant`,
    ],
  ]
}

/** Only forward, no repeats, nothing invented: the beginning of a way from PROCESSING to DELIVERED. */
const isOnPath = (statuses: readonly string[]): boolean =>
  statuses.length > 0 && PICKUP_PATHS.some((path) => statuses.every((status, at) => path[at] === status))
