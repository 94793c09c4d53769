import type { OrderStatus, RestaurantOrder } from '@platter/contracts'

/** The columns of the board, in the order in which an order passes through them. */
export const columns = ['new', 'preparing', 'ready', 'done'] as const
export type Column = (typeof columns)[number]

type Words = { column: Column; action: string; state: string | null }

/** The column of each status, the label of the button that leads to it, and its state; null if the column already shows it. */
const statuses: Readonly<Record<OrderStatus, Words>> = {
  PROCESSING: { column: 'new', action: 'New', state: null },
  AWAITING_PREPARATION: { column: 'new', action: 'New', state: null },
  PREPARING: { column: 'preparing', action: 'Start preparing', state: null },
  PREPARING_AND_DELIVERING: {
    column: 'preparing',
    action: 'Start preparing',
    state: 'Preparing and delivering',
  },
  OUT_FOR_DELIVERY: { column: 'ready', action: 'Out for delivery', state: 'On the way' },
  READY_FOR_PICKUP: { column: 'ready', action: 'Ready for pickup', state: 'Waiting for pickup' },
  DELIVERED: { column: 'done', action: 'Delivered', state: 'Delivered' },
}

const wordsOf = (status: OrderStatus, method: RestaurantOrder['method']): Omit<Words, 'column'> =>
  status === 'DELIVERED' && method === 'pickup'
    ? { action: 'Handed over', state: 'Handed over' }
    : statuses[status]

export const columnOf = ({ status, cancellation }: RestaurantOrder): Column =>
  cancellation ? 'done' : statuses[status].column

/** Orders only move forward (docs/interface.md, "Order statuses"), so a record in an earlier column is older. */
export const isOlder = (one: RestaurantOrder, other: RestaurantOrder): boolean =>
  columns.indexOf(columnOf(one)) < columns.indexOf(columnOf(other))

/** Returns the label of the button that moves an order to this status. */
export const actionLabel = (to: OrderStatus, method: RestaurantOrder['method']): string =>
  wordsOf(to, method).action

/** Returns the state of an order; null if its column already shows it. */
export const stateLabel = ({ status, method, cancellation }: RestaurantOrder): string | null =>
  cancellation ? cancellationLabel(cancellation) : wordsOf(status, method).state

function cancellationLabel({ cancelledBy }: NonNullable<RestaurantOrder['cancellation']>): string {
  if (cancelledBy === 'restaurant') return 'Refused'
  return cancelledBy === 'system' ? 'Cancelled' : `Cancelled by the ${cancelledBy}`
}

type WaitTimes = { minWaitTime: number; maxWaitTime: number }

/** Minutes before a new order is late, if minWaitTime and maxWaitTime are equal. */
const TIME_TO_SEE = 5

/**
 * Returns the minutes after which an open order is late: maxWaitTime, which is 0 if it was never set. A new order is late earlier,
 * when less than minWaitTime remains, because its preparation takes at least that time.
 */
export function lateAfter(order: RestaurantOrder, { minWaitTime, maxWaitTime }: WaitTimes): number {
  return columnOf(order) === 'new'
    ? Math.max(TIME_TO_SEE, maxWaitTime - minWaitTime)
    : maxWaitTime || Infinity
}

/** Seconds before `acceptBy`: half and a fifth of 15 minutes. At each, the page warns that the order is not started. */
const WARN_BEFORE = [450, 180]

/** Returns the number of warnings that are due; 0 for an order without automatic cancellation. */
export const warningsDue = ({ acceptBy = Infinity }: RestaurantOrder, nowMs: number): number =>
  WARN_BEFORE.filter((seconds) => nowMs / 1_000 >= acceptBy - seconds).length

/** Returns the remaining time, for example "7:05"; null after the end. */
export function timeLeft(until: number, nowMs: number): string | null {
  const seconds = Math.ceil(until - nowMs / 1_000)
  if (seconds <= 0) return null
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const minutesSince = (epoch: number, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs / 1_000 - epoch) / 60))

/** Formats minutes: "12 min", "95 min", "2 h 05 min". */
export function formatMinutes(minutes: number): string {
  if (minutes < 100) return `${minutes} min`
  const rest = String(minutes % 60).padStart(2, '0')
  return `${Math.floor(minutes / 60)} h ${rest} min`
}

type Item = RestaurantOrder['items'][number]
type Line = { count: number; name: string; choices: string[]; comments: string | null }

/** Groups equal items with equal choices and comments into one line: "2 × Margherita". */
export function linesOf(items: readonly Item[]): Line[] {
  const equal = Map.groupBy(items, ({ apiKey, comments, customizationChoices }) =>
    JSON.stringify([apiKey, comments, customizationChoices.map((choice) => choice.apiKey)]),
  )
  return [...equal.values()].flatMap((pieces) => {
    const [first] = pieces
    if (!first) return []
    const { name, comments, customizationChoices } = first
    return {
      count: pieces.length,
      name,
      choices: customizationChoices.map(({ details }) => details),
      comments,
    }
  })
}

/** Formats an amount with two decimals, without a currency, because the order has none. */
export const money = (amount: number): string => amount.toFixed(2)

export const nameOf = ({ recipient: { firstName, lastName } }: RestaurantOrder): string =>
  `${firstName} ${lastName}`.trim()

/** Returns the cash that the restaurant has still to collect: none once the order is handed over. */
export const toCollectNow = ({ toCollect, status }: RestaurantOrder): number =>
  status === 'DELIVERED' ? 0 : toCollect

/** Returns the payment text of an order with nothing to collect. */
export function paymentText({ cancellation, test, payment }: RestaurantOrder): string {
  if (cancellation) return 'Nothing to pay'
  if (test) return 'Test, not charged'
  return payment === 'card' ? 'Paid by card' : 'Paid in cash'
}
