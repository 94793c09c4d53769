import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import type { Marks, SagaOrder } from '../../services/orders/src/domain/order-state.ts'
import { returnedOf } from '../../services/orders/src/domain/refund.ts'
import type { LedgerLine, OrderRow } from '../support/books.ts'
import {
  violations,
  violationsAfterSale,
  violationsOf,
  type Check,
  type Violation,
} from '../support/invariants.ts'
import type { Entry } from '../support/order-clients.ts'
import { isAtTheBank } from './bank.ts'
import type { Kind, Placed } from './clients.ts'
import { isByOthers } from './restaurants.ts'
import { afterSale, bank, clients, database, processor, restaurants, world } from './simulation.ts'

/** Checks the records of a run against all invariants. `isShort`: delivery deadlines may expire in the run. */
export function findViolations(isShort: boolean): Violation[] {
  const orders = [...database.orders.values()]
  const rows = orders.map(orderRow)
  const doubtful = new Set(isShort ? orders.filter(isInDoubt).map(({ apiKey }) => apiKey) : [])
  const receipts = restaurants.receipts.filter(({ orderApiKey }) => !doubtful.has(orderApiKey))
  const { ledger } = processor
  const linesOf = Map.groupBy(ledger, ({ reference }) => reference)
  return [
    ...violationsOf(clients.book.filter(isChecked).map(withExpectedKind), { orders: rows, ledger, receipts }),
    ...clients.book.filter((entry) => !isChecked(entry)).flatMap((entry) => ofUnchecked(entry, rows)),
    ...orders.flatMap((order) => {
      const lines = linesOf.get(order.apiKey) ?? []
      return violations(
        [
          isUnnotified(order) && 'a restaurant was never notified of a cancellation',
          ofSavedCard(order),
          ofPaymentState(order, lines),
          ...ofBank(order, lines),
        ],
        order,
      )
    }),
    ...violationsAfterSale(afterSale.changes, rows),
    ...world.violations,
  ]
}

const orderRow = (order: SagaOrder & Marks): OrderRow => ({
  ...order,
  told: order.isReturned,
  refunds: [...order.refunds],
  key: order.details.comments ?? '',
  cancelled: order.cancellation !== null,
  cancelledBy: order.cancellation?.cancelledBy ?? null,
  cancellationRefund: Math.round((order.cancellation?.refund.amount ?? 0) * 100),
  finished: database.sagas.get(order.apiKey)!.saga.isFinished,
  statuses: database.statuses.get(order.apiKey)!,
})

/** Returns true if a restaurant has a cancelled order, and has not received its cancellation. */
export const isUnnotified = (order: SagaOrder): boolean =>
  (isInDoubt(order) || isCancelledThere(order)) && !restaurants.cancelled.has(order.apiKey)

const receiptsOf = (apiKey: string) =>
  restaurants.receipts.filter(({ orderApiKey }) => orderApiKey === apiKey)

/** A customer or an operator cancelled an order that a restaurant without a console has received. */
const isCancelledThere = ({ apiKey, cancellation }: PlacedOrder): boolean =>
  isByOthers(cancellation) &&
  database.deliveries.get(apiKey)?.linkKind !== 'console' &&
  receiptsOf(apiKey).some(({ outcome }) => outcome === 'accepted')

/**
 * The restaurant received the order, but all of its responses were lost until the deadline. The order is cancelled, and the
 * restaurant is notified (docs/interface.md, "Restaurant interface").
 */
const isInDoubt = ({ apiKey, outcome }: SagaOrder): boolean =>
  outcome === 'failed' &&
  database.deliveries.get(apiKey)?.outcome === 'unreachable' &&
  receiptsOf(apiKey).length === 1

const UNCHECKED: readonly Kind[] = ['refusedLater', 'unreachable', 'silent', 'closing']
const isChecked = (entry: Placed) => !UNCHECKED.includes(entry.kind) && !isGivenUp(entry)

/** A customer who confirms late, or never sees the page, has no order. `ofBank` checks the other customers. */
function withExpectedKind(entry: Placed): Entry {
  const { kind, response } = entry
  if (!isAtTheBank(kind)) return { ...entry, kind: kind as Entry['kind'] }
  return { ...entry, kind: kind === 'confirmed' && response?.status === 200 ? 'card' : 'declined' }
}

/** Possible ends of a card order when faults last longer than its deadlines. */
const isGivenUp = ({ response }: Placed) =>
  response?.code === 'restaurant-unreachable' || response?.code === 'payment-unavailable'

/** Checks an order that failed because of faults. An order with a response is shown as cancelled, and no other order exists. */
function ofUnchecked(entry: Placed, rows: readonly OrderRow[]): Violation[] {
  const own = rows.filter(({ key }) => key === entry.key)
  const isStored = own.some(({ outcome, cancelled }) => outcome !== 'failed' && !cancelled)
  return violations(
    [
      entry.response === null && 'the client never received a final response',
      entry.cancelled &&
        !own.some(({ cancelled }) => cancelled) &&
        'the client received an order that is not shown as cancelled',
      isStored && `the response was ${entry.response?.status}, although an order is stored`,
    ],
    { entry, own },
  )
}

/** A new card of a user is saved only after the transmission of its order, and not if the order is cancelled earlier. */
function ofSavedCard({ apiKey, outcome, cancellation }: SagaOrder): Check {
  const { userApiKey, newCard } = database.sagas.get(apiKey)?.saga.facts ?? {}
  if (!newCard || !userApiKey) return false
  const isSaved = database.cards.has(newCard.apiKey)
  const isTransmitted = outcome === 'transmitted'
  if (isByOthers(cancellation) && isTransmitted) return false
  return (
    isSaved !== isTransmitted && `the order is ${outcome}, and its card is ${isSaved ? 'saved' : 'not saved'}`
  )
}

/** The payment state of an order agrees with the processor's ledger. */
function ofPaymentState(order: SagaOrder, lines: readonly LedgerLine[]): Check {
  const done = lines.filter(({ outcome }) => outcome === 'approved')
  return (
    !statesAfter(done, order).includes(order.paymentState) &&
    `${order.paymentState} is shown, and the ledger has ${done.map(({ kind }) => kind).join(' ')}`
  )
}

function statesAfter(done: readonly LedgerLine[], { total, refunds }: PlacedOrder): string[] {
  const sum = (kind: LedgerLine['kind']) =>
    done.filter((line) => line.kind === kind).reduce((all, { amount }) => all + amount, 0)
  if (done.length === 0)
    return returnedOf(refunds) === total ? ['REFUNDED'] : ['NOT_REQUIRED', 'DUE', 'VOIDED']
  if (sum('void') > 0) return ['VOIDED']
  return sum('refund') === sum('capture') ? ['REFUNDED'] : ['CHARGED']
}

/**
 * Each order has at most one challenge and one authorization, even after repetitions. A confirmation in time leads to an order,
 * unless it was cancelled.
 */
function ofBank(order: SagaOrder, lines: readonly LedgerLine[]): Check[] {
  const { apiKey, restaurantApiKey, outcome, cancellation, paymentAction } = order
  const count = (kind: LedgerLine['kind'], result: string) =>
    lines.filter((line) => line.kind === kind && line.outcome === result).length
  const challenges = count('authenticate', 'open')
  const isClosed = challenges > 0 && bank.closed.has(restaurantApiKey)
  const isUnconfirmed = outcome === 'failed' && cancellation?.reason === 'card-declined'
  return [
    challenges > 1 && 'two challenges of one order',
    count('authorize', 'approved') > 1 && 'an order has two authorizations',
    Boolean(paymentAction) && 'an order that has ended shows the action of its payment',
    isClosed && outcome === 'transmitted' && 'a closed restaurant has the order',
    bank.confirmed.has(apiKey) &&
      isUnconfirmed &&
      'the customer confirmed in time, and the order failed as declined',
  ]
}
