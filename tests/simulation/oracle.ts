import { returnedOf } from '../../services/orders/src/domain/refund.ts'
import type { PlacedOrder } from '../../services/orders/src/domain/order.ts'
import type { LedgerLine, OrderRow } from '../support/books.ts'
import { checkBank, isAtTheBank } from './bank.ts'
import { isByOthers } from './restaurants.ts'
import type { Entry } from '../support/order-clients.ts'
import { violationsAfterSale, violationsOf, type Violation } from '../support/invariants.ts'
import type { Clients, Kind, Placed } from './clients.ts'
import type { Simulation } from './simulation.ts'

/** Checks the records of a run against all invariants. `isShort`: delivery deadlines may expire in the run. */
export function findViolations(all: Simulation, clients: Clients, isShort: boolean) {
  const { database, processor, restaurants, broker, world } = all
  const rows = [...database.orders.keys()].map((apiKey) => orderRow(all, apiKey))
  const doubtful = new Set(rows.filter((row) => isShort && isInDoubt(all, row)).map(({ apiKey }) => apiKey))
  const receipts = restaurants.receipts.filter(({ orderApiKey }) => !doubtful.has(orderApiKey))
  const violations: Violation[] = [
    ...violationsOf(clients.book.filter(isChecked).map(judged), {
      orders: rows,
      ledger: processor.ledger,
      receipts,
    }),
    ...clients.book.flatMap((entry) => checkOther(entry, rows)),
    ...checkSavedCard(all),
    ...checkPaymentState(all),
    ...violationsAfterSale(all.afterSale.changes, rows),
    ...checkBank(all),
    ...unnotified(all).map(notNotified),
    ...broker.deadLetters.map((content) => ({
      rule: 'dead letter',
      what: 'a message was dead-lettered',
      order: content,
    })),
    ...world.mistakes.map((mistake) => ({ ...mistake, order: null })),
  ]
  return { violations, inDoubt: doubtful.size }
}

function orderRow({ database }: Simulation, apiKey: string): OrderRow {
  const order = database.orders.get(apiKey)
  const saga = database.sagas.get(apiKey)
  if (!order || !saga) throw new Error('an order without a saga')
  const { payment, test, total, outcome, told, paymentState } = order
  return {
    apiKey,
    key: order.details.comments ?? '',
    payment,
    test,
    total,
    outcome,
    told,
    paymentState,
    cancelled: order.cancellation !== null,
    cancelledBy: order.cancellation?.cancelledBy ?? null,
    cancellationRefund: Math.round((order.cancellation?.refund.amount ?? 0) * 100),
    refunds: [...order.refunds],
    finished: saga.finishedAt !== null,
    statuses: database.statuses.get(apiKey) ?? [],
  }
}

/** Returns cancelled orders that a restaurant has, and whose cancellation the restaurant has not received. */
export function unnotified(all: Simulation): string[] {
  return [...all.database.orders.values()]
    .filter((order) => isInDoubt(all, order) || isCancelledThere(all, order))
    .filter(({ apiKey }) => !all.restaurants.cancelled.has(apiKey))
    .map(({ apiKey }) => apiKey)
}

/** A customer or an operator cancelled an order that a restaurant without a console has received. */
const isCancelledThere = (
  { database, restaurants }: Simulation,
  { apiKey, cancellation }: PlacedOrder,
): boolean =>
  isByOthers(cancellation) &&
  database.deliveries.get(apiKey)?.linkKind !== 'console' &&
  restaurants.receipts.some((receipt) => receipt.orderApiKey === apiKey && receipt.outcome === 'accepted')

const notNotified = (apiKey: string): Violation => ({
  rule: 'never notified',
  what: 'a restaurant received an order that was cancelled, and was never notified of the cancellation',
  order: apiKey,
})

/**
 * The restaurant received the order, but all of its responses were lost until the deadline. The order is cancelled, and the
 * restaurant is notified (docs/interface.md, "Restaurant interface").
 */
function isInDoubt(
  { database, restaurants }: Simulation,
  { apiKey, outcome }: Pick<OrderRow, 'apiKey' | 'outcome'>,
): boolean {
  const received = restaurants.receipts.filter(({ orderApiKey }) => orderApiKey === apiKey)
  const gaveUp = database.deliveries.get(apiKey)?.outcome === 'unreachable'
  return outcome === 'failed' && gaveUp && received.length === 1
}

const UNCHECKED: readonly Kind[] = ['recanted', 'unreachable', 'silent', 'closing']
const isChecked = (entry: Placed) => !UNCHECKED.includes(entry.kind) && !isGivenUp(entry)

/** A customer who confirms late, or never sees the page, has no order. `checkBank` checks the other customers. */
function judged(entry: Placed): Entry {
  const { kind, response } = entry
  if (!isAtTheBank(kind)) return { ...entry, kind: kind as Entry['kind'] }
  return { ...entry, kind: kind === 'confirmed' && response?.status === 200 ? 'card' : 'declined' }
}

/** Possible ends of a card order when faults last longer than its deadlines. */
const isGivenUp = ({ response }: Placed) =>
  response?.code === 'restaurant-unreachable' || response?.code === 'payment-unavailable'

/** Checks orders that failed because of faults. An order with a response is shown as cancelled, and no other order exists. */
function checkOther(entry: Placed, rows: readonly OrderRow[]): Violation[] {
  if (isChecked(entry)) return []
  const own = rows.filter(({ key }) => key === entry.key)
  const violation = (rule: string, what: string) => [{ rule, what, order: { entry, own } }]
  if (!entry.response) return violation('no response', 'the client never received a final response')
  if (entry.cancelled && !own.some(({ cancelled }) => cancelled))
    return violation('lost', 'the client was given an order that is not shown as cancelled')
  return own.some(({ outcome, cancelled }) => outcome !== 'failed' && !cancelled)
    ? violation('refused but placed', `the response was ${entry.response.status}, and there is an order`)
    : []
}

/** A new card of a user is saved only after the transmission of its order, and not if the order is cancelled earlier. */
function checkSavedCard({ database }: Simulation): Violation[] {
  return [...database.orders.values()].flatMap((order) => {
    const facts = database.sagas.get(order.apiKey)?.facts
    if (!facts?.newCard || facts.userApiKey === null) return []
    const isSaved = database.cards.has(facts.newCard.apiKey)
    const mayBe = isByOthers(order.cancellation) && order.outcome === 'transmitted'
    return mayBe || isSaved === (order.outcome === 'transmitted')
      ? []
      : [
          {
            rule: 'wrongly saved',
            what: `${order.outcome}, its card is ${isSaved ? '' : 'not '}saved`,
            order,
          },
        ]
  })
}

/** The payment state of an order agrees with the processor's ledger. */
function checkPaymentState({ database, processor }: Simulation): Violation[] {
  const moneyOf = Map.groupBy(processor.ledger, ({ reference }) => reference)
  return [...database.orders.values()].flatMap((order) => {
    const done = (moneyOf.get(order.apiKey) ?? []).filter(({ outcome }) => outcome === 'approved')
    const shown = order.paymentState
    return statesAfter(done, order).includes(shown)
      ? []
      : [
          {
            rule: 'wrongly shown',
            what: `${shown}, and the ledger says ${done.map(({ kind }) => kind).join(' ')}`,
            order,
          },
        ]
  })
}

function statesAfter(done: readonly LedgerLine[], { total, refunds }: PlacedOrder): string[] {
  const sum = (kind: LedgerLine['kind']) =>
    done.filter((line) => line.kind === kind).reduce((all, { amount }) => all + amount, 0)
  if (done.length === 0)
    return returnedOf(refunds) === total ? ['REFUNDED'] : ['NOT_REQUIRED', 'DUE', 'VOIDED']
  if (sum('void') > 0) return ['VOIDED']
  if (sum('capture') === 0) return ['AUTHORIZED']
  return sum('refund') === sum('capture') ? ['REFUNDED'] : ['CHARGED']
}
