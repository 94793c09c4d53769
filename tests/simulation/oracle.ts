import type { OrderRow } from '../support/books.ts'
import type { Entry } from '../support/order-clients.ts'
import { violationsOf, type Violation } from '../support/invariants.ts'
import type { Clients, Kind, Placed } from './clients.ts'
import type { Simulation } from './simulation.ts'

/** Checks the records of a run against all invariants. `isShort`: its delivery deadlines may pass. */
export function findViolations(all: Simulation, clients: Clients, isShort: boolean) {
  const { database, processor, restaurants, broker, world } = all
  const rows = [...database.orders.keys()].map((apiKey) => orderRow(all, apiKey))
  const doubtful = new Set(rows.filter((row) => isShort && isInDoubt(all, row)).map(({ apiKey }) => apiKey))
  const receipts = restaurants.receipts.filter(({ orderApiKey }) => !doubtful.has(orderApiKey))
  const violations: Violation[] = [
    ...violationsOf(clients.book.filter(isChecked), { orders: rows, ledger: processor.ledger, receipts }),
    ...clients.book.flatMap((entry) => checkOther(entry, rows)),
    ...checkSavedCard(all),
    ...checkPaymentState(all),
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
    finished: saga.finishedAt !== null,
    statuses: database.statuses.get(apiKey) ?? [],
  }
}

/** Orders in doubt whose restaurants have not received the cancellation. */
export function unnotified(all: Simulation): string[] {
  return [...all.database.orders.values()]
    .filter((order) => isInDoubt(all, order) && !all.restaurants.cancelled.has(order.apiKey))
    .map(({ apiKey }) => apiKey)
}

const notNotified = (apiKey: string): Violation => ({
  rule: 'never notified',
  what: 'a restaurant received an order that was cancelled, and was never notified of the cancellation',
  order: apiKey,
})

/**
 * The restaurant received the order, and each of its responses was lost until the deadline. The order is cancelled, and the
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

type Checked = Placed & Pick<Entry, 'kind'>
const UNCHECKED: readonly Kind[] = ['recanted', 'unreachable', 'silent']
const isChecked = (entry: Placed): entry is Checked => !UNCHECKED.includes(entry.kind) && !isGivenUp(entry)

/** Possible ends of a card order when faults last longer than its deadlines. */
const isGivenUp = ({ answer }: Placed) =>
  answer?.code === 'restaurant-unreachable' || answer?.code === 'payment-unavailable'

/** Orders that failed because of faults: one that was answered is shown as cancelled, and no other one exists. */
function checkOther(entry: Placed, rows: readonly OrderRow[]): Violation[] {
  if (isChecked(entry)) return []
  const own = rows.filter(({ key }) => key === entry.key)
  const violation = (rule: string, what: string) => [{ rule, what, order: { entry, own } }]
  if (!entry.answer) return violation('no answer', 'the client never got a final answer')
  if (entry.cancelled && !own.some(({ cancelled }) => cancelled))
    return violation('lost', 'the client was given an order that is not shown as cancelled')
  return own.some(({ outcome, cancelled }) => outcome !== 'failed' && !cancelled)
    ? violation('refused but placed', `answered ${entry.answer.status}, and there is an order`)
    : []
}

/** A new card of a user is saved only after its order was transmitted. */
function checkSavedCard({ database }: Simulation): Violation[] {
  return [...database.orders.values()].flatMap((order) => {
    const facts = database.sagas.get(order.apiKey)?.facts
    if (!facts?.newCard || facts.userApiKey === null) return []
    const isSaved = database.cards.has(facts.newCard.apiKey)
    return isSaved === (order.outcome === 'transmitted')
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

/** The payment state after the last line of the ledger. */
const SHOWN_AFTER = {
  authorize: 'AUTHORIZED',
  capture: 'CHARGED',
  void: 'VOIDED',
  refund: 'REFUNDED',
  dispute: 'CHARGED',
}

/** The payment state of an order agrees with the processor's ledger. */
function checkPaymentState({ database, processor }: Simulation): Violation[] {
  const moneyOf = Map.groupBy(processor.ledger, ({ reference }) => reference)
  return [...database.orders.values()].flatMap((order) => {
    const done = (moneyOf.get(order.apiKey) ?? [])
      .filter(({ outcome }) => outcome === 'approved')
      .map(({ kind }) => kind)
    const last = done.at(-1)
    const shown = order.paymentState
    const expected = last === undefined ? ['NOT_REQUIRED', 'DUE', 'VOIDED'] : [SHOWN_AFTER[last]]
    return expected.includes(shown)
      ? []
      : [{ rule: 'wrongly shown', what: `${shown}, and the ledger says ${done.join(' ')}`, order }]
  })
}
