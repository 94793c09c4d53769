import type { OrderStatus, RestaurantOrder } from '@platter/contracts'

/** The columns of the board, as an order passes through them. */
export const columns = ['new', 'preparing', 'ready', 'done'] as const
export type Column = (typeof columns)[number]

export const columnTitles: Readonly<Record<Column, string>> = {
  new: 'New',
  preparing: 'In preparation',
  ready: 'Ready or on the way',
  done: 'Done',
}

const columnOfStatus: Readonly<Record<OrderStatus, Column>> = {
  PROCESSING: 'new',
  AWAITING_PREPARATION: 'new',
  PREPARING: 'preparing',
  PREPARING_AND_DELIVERING: 'preparing',
  OUT_FOR_DELIVERY: 'ready',
  READY_FOR_PICKUP: 'ready',
  DELIVERED: 'done',
}

export const columnOf = ({ status, cancellation }: RestaurantOrder): Column =>
  cancellation ? 'done' : columnOfStatus[status]

/** Orders only move forward (docs/interface.md, "Order statuses"): what is further back was read earlier, whenever it arrived. */
export const isOlder = (one: RestaurantOrder, other: RestaurantOrder): boolean =>
  columns.indexOf(columnOf(one)) < columns.indexOf(columnOf(other))

/** What a tap on the button does, in the words of a kitchen. */
export function actionLabel(to: OrderStatus, method: RestaurantOrder['method']): string {
  switch (to) {
    case 'PREPARING':
      return 'Start preparing'
    case 'PREPARING_AND_DELIVERING':
      return 'Start preparing'
    case 'OUT_FOR_DELIVERY':
      return 'Out for delivery'
    case 'READY_FOR_PICKUP':
      return 'Ready for pickup'
    case 'DELIVERED':
      return method === 'pickup' ? 'Handed over' : 'Delivered'
    case 'PROCESSING':
    case 'AWAITING_PREPARATION':
      return 'New'
  }
}

/** Where the order is, where the column alone does not tell. */
export function stateLabel({ status, method, cancellation }: RestaurantOrder): string | null {
  if (cancellation) return cancellation.cancelledBy === 'restaurant' ? 'Refused' : 'Cancelled'
  if (status === 'PREPARING_AND_DELIVERING') return 'Preparing and delivering'
  if (status === 'READY_FOR_PICKUP') return 'Waiting for pickup'
  if (status === 'OUT_FOR_DELIVERY') return 'On the way'
  if (status === 'DELIVERED') return method === 'pickup' ? 'Handed over' : 'Delivered'
  return null
}

export type WaitTimes = { minWaitTime: number; maxWaitTime: number }

/** A restaurant that promises minute and hour alike still gets this long to see an order, in minutes. */
const TIME_TO_SEE = 5

/**
 * After how many minutes an open order is late: maxWaitTime; one that nobody has begun, when less than
 * minWaitTime is left of that, which is what preparing it takes at best.
 */
export function lateAfter(order: RestaurantOrder, { minWaitTime, maxWaitTime }: WaitTimes): number {
  return columnOf(order) === 'new' ? Math.max(TIME_TO_SEE, maxWaitTime - minWaitTime) : maxWaitTime
}

/** The parts of the time up to `acceptBy` after which the page warns of an order that is not started. */
const WARN_AFTER = [0.5, 0.8]

/** How many warnings of an order are due; none when it is not cancelled automatically. */
export function warningsDue({ acceptBy, datePlaced }: RestaurantOrder, nowMs: number): number {
  if (acceptBy === undefined) return 0
  const passed = nowMs / 1_000 - datePlaced
  return WARN_AFTER.filter((part) => passed >= part * (acceptBy - datePlaced)).length
}

/** The time that is left, "7:05"; null when it is over. */
export function timeLeft(until: number, nowMs: number): string | null {
  const seconds = Math.ceil(until - nowMs / 1_000)
  if (seconds <= 0) return null
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const minutesSince = (epoch: number, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs / 1_000 - epoch) / 60))

/** "12 min", "95 min", "2 h 05 min". */
export function inWords(minutes: number): string {
  if (minutes < 100) return `${minutes} min`
  const rest = String(minutes % 60).padStart(2, '0')
  return `${Math.floor(minutes / 60)} h ${rest} min`
}

type Item = RestaurantOrder['items'][number]
export type Line = { count: number; name: string; choices: string[]; comments: string | null }

/** Pieces that are cooked alike are one line: "2 × Margherita". */
export function linesOf(items: readonly Item[]): Line[] {
  const alike = Map.groupBy(items, ({ apiKey, comments, customizationChoices }) =>
    JSON.stringify([apiKey, comments, customizationChoices.map((choice) => choice.apiKey)]),
  )
  return [...alike.values()].flatMap((pieces) => {
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

/** Two digits, and no currency: an order does not say which one it is in. */
export const money = (amount: number): string => amount.toFixed(2)

export const nameOf = ({ recipient: { firstName, lastName } }: RestaurantOrder): string =>
  `${firstName} ${lastName}`.trim()

/** What is to be said of the money when nothing is to be collected. */
export function paidHow({ cancellation, test, payment }: RestaurantOrder): string {
  if (cancellation) return 'Nothing to pay'
  if (test) return 'Test, not charged'
  return payment === 'card' ? 'Paid by card' : 'Paid in cash'
}
