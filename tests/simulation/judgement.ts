import type { OrderRow } from '../support/books.ts'
import type { Entry } from '../support/order-clients.ts'
import { violationsOf, type Violation } from '../support/invariants.ts'
import type { Clients, Kind, Placed } from './clients.ts'
import type { Simulation } from './simulation.ts'

/** Everything that must not be, by the books of the run; `isShort`: its transmissions may be given up. */
export function judged(all: Simulation, clients: Clients, isShort: boolean) {
  const { database, processor, restaurants, broker, world } = all
  const rows = [...database.orders.keys()].map((apiKey) => orderRow(all, apiKey))
  const doubtful = new Set(rows.filter((row) => isShort && isInDoubt(all, row)).map(({ apiKey }) => apiKey))
  const receipts = restaurants.receipts.filter(({ orderApiKey }) => !doubtful.has(orderApiKey))
  const violations: Violation[] = [
    ...violationsOf(clients.book.filter(isJudged), { orders: rows, ledger: processor.ledger, receipts }),
    ...clients.book.flatMap((entry) => judgeOther(entry, rows)),
    ...judgeSaved(all),
    ...judgeShown(all),
    ...untold(all).map(neverTold),
    ...broker.deadLetters.map((content) => ({
      rule: 'needs a person',
      what: 'a message was put among the dead letters',
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

/** Orders in doubt whose restaurants do not know that they are off. */
export function untold(all: Simulation): string[] {
  return [...all.database.orders.values()]
    .filter((order) => isInDoubt(all, order) && !all.restaurants.cancelled.has(order.apiKey))
    .map(({ apiKey }) => apiKey)
}

const neverTold = (apiKey: string): Violation => ({
  rule: 'never told',
  what: 'a restaurant has an order that was given up, and was not told that it is off',
  order: apiKey,
})

/**
 * A restaurant that has the order, whose every answer was lost until its deadline. It is given up, for nobody
 * can know (docs/interface.md, "Restaurant interface"), and told so.
 */
function isInDoubt(
  { database, restaurants }: Simulation,
  { apiKey, outcome }: Pick<OrderRow, 'apiKey' | 'outcome'>,
): boolean {
  const received = restaurants.receipts.filter(({ orderApiKey }) => orderApiKey === apiKey)
  const gaveUp = database.deliveries.get(apiKey)?.outcome === 'unreachable'
  return outcome === 'failed' && gaveUp && received.length === 1
}

type Judged = Placed & Pick<Entry, 'kind'>
const NOT_JUDGED: readonly Kind[] = ['recanted', 'unreachable', 'silent']
const isJudged = (entry: Placed): entry is Judged => !NOT_JUDGED.includes(entry.kind) && !isGivenUp(entry)

/** What a card order may end with when faults last longer than its deadlines. */
const isGivenUp = ({ answer }: Placed) =>
  answer?.code === 'restaurant-unreachable' || answer?.code === 'payment-unavailable'

/** Orders that came to nothing through no fault of theirs: one that was promised is shown as cancelled, no other stands. */
function judgeOther(entry: Placed, rows: readonly OrderRow[]): Violation[] {
  if (isJudged(entry)) return []
  const own = rows.filter(({ key }) => key === entry.key)
  const violation = (rule: string, what: string) => [{ rule, what, order: { entry, own } }]
  if (!entry.answer) return violation('no answer', 'the client never got a final answer')
  if (entry.cancelled && !own.some(({ cancelled }) => cancelled))
    return violation('lost', 'the client was given an order that is not shown as cancelled')
  return own.some(({ outcome, cancelled }) => outcome !== 'failed' && !cancelled)
    ? violation('refused but placed', `answered ${entry.answer.status}, and there is an order`)
    : []
}

/** A new card of a user is saved once its order stands, and only then. */
function judgeSaved({ database }: Simulation): Violation[] {
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

/** What an order says of its money is what the processor's ledger says. */
function judgeShown({ database, processor }: Simulation): Violation[] {
  const moneyOf = Map.groupBy(processor.ledger, ({ reference }) => reference)
  return [...database.orders.values()].flatMap((order) => {
    const done = (moneyOf.get(order.apiKey) ?? [])
      .filter(({ outcome }) => outcome === 'approved')
      .map(({ kind }) => kind)
    const last = done.at(-1)
    const shown = order.paymentState
    const expected =
      last === undefined
        ? ['NOT_REQUIRED', 'DUE', 'VOIDED']
        : [{ authorize: 'AUTHORIZED', capture: 'CHARGED', void: 'VOIDED', refund: 'REFUNDED' }[last]]
    return expected.includes(shown)
      ? []
      : [{ rule: 'wrongly shown', what: `${shown}, and the ledger says ${done.join(' ')}`, order }]
  })
}
