import type { Refund, OrderStatus, RestaurantOrder } from '@platter/contracts'
import { computed, signal, untracked } from '@preact/signals'
import { alarm } from '#/alarm.ts'
import { restaurantApi, type Refused } from '#/api.ts'
import { attempt } from '#/attempt.ts'
import { now, timeOf } from '#/clock.ts'
import { addNote, notes } from '#/notes.ts'
import type { RefundRequest } from '#/refund.ts'
import { columnOf, columns, isOlder, nameOf, stateLabel, warningsDue, type Column } from '#/order.ts'

type Orders = ReadonlyMap<string, RestaurantOrder>

const known = signal<Orders>(new Map())

/** The maximum number of completed orders on the page, at first and on request. 200 is the limit of the gateway. */
const DONE_KEPT = { first: 50, most: 200 } as const
const doneKept = signal<number>(DONE_KEPT.first)

const byAge = (one: RestaurantOrder, other: RestaurantOrder) =>
  one.datePlaced - other.datePlaced || one.id - other.id

/** The orders of each column, oldest first; completed orders newest first. */
export const board = computed<Readonly<Record<Column, RestaurantOrder[]>>>(() => {
  const sorted = [...known.value.values()].toSorted(byAge)
  const inColumn = (column: Column) => sorted.filter((order) => columnOf(order) === column)
  return {
    new: inColumn('new'),
    preparing: inColumn('preparing'),
    ready: inColumn('ready'),
    done: inColumn('done').toReversed().slice(0, doneKept.value),
  }
})

/** Whether there may be completed orders that the page does not show. */
export const hasEarlier = computed(
  () => doneKept.value === DONE_KEPT.first && board.value.done.length === DONE_KEPT.first,
)

/** The text that screen readers announce when an order arrives, or is not started in time. */
export const arrival = signal('')

/** Removes all orders, and all notes, which may be about them. */
export const clearOrders = (): void => {
  known.value = new Map()
  doneKept.value = DONE_KEPT.first
  notes.value = []
}

export const openOrders = (): RestaurantOrder[] =>
  columns.filter((column) => column !== 'done').flatMap((column) => board.value[column])

/** Stores the record of an order, unless the page has a newer one. */
export function put(order: RestaurantOrder): void {
  const before = known.value.get(order.apiKey)
  if (before && isOlder(order, before)) return
  known.value = new Map(known.value).set(order.apiKey, order)
  if (before && !before.cancellation && order.cancellation) notifyOfCancellation(order)
}

/** Stores an order like `put`, and rings once for a new order. */
export function receive(order: RestaurantOrder): void {
  const isNew = !known.value.has(order.apiKey)
  put(order)
  if (!isNew || columnOf(order) !== 'new') return
  arrival.value = `New order ${order.id}, ${order.method}, ${order.items.length} items`
  alarm(order, { title: `New order ${order.id}, ${nameOf(order)}`, tag: order.apiKey })
}

/** The number of warnings that were due for each new order. */
let warnings: ReadonlyMap<string, number> = new Map()

/** Rings again when a warning of a new order becomes due while the page is open. Runs as an effect. */
export function warnOfUnstarted(): void {
  const waiting = board.value.new
  const due = new Map(waiting.map((order) => [order.apiKey, warningsDue(order, now.value)]))
  const before = warnings
  warnings = due
  untracked(() => {
    for (const order of waiting) {
      const count = due.get(order.apiKey) ?? 0
      if (count > (before.get(order.apiKey) ?? count)) warn(order, count)
    }
  })
}

function warn(order: RestaurantOrder, count: number): void {
  const { apiKey, id, acceptBy } = order
  if (acceptBy === undefined) return
  const title = `Order ${id} is not started. It is cancelled at ${timeOf(acceptBy)}.`
  arrival.value = title
  alarm(order, { title, tag: `${apiKey} ${count}` })
}

/**
 * Notifies the kitchen of an order that a customer or an operator cancelled, because it must stop its preparation. The restaurant's
 * own refusals need no note.
 */
function notifyOfCancellation(order: RestaurantOrder): void {
  const { apiKey, id, cancellation } = order
  if (!cancellation || cancellation.cancelledBy === 'restaurant') return
  const label = stateLabel(order)?.toLowerCase() ?? 'cancelled'
  const title = `Order ${id} was ${label}. Do not prepare it.`
  // The message of a customer's cancellation repeats the label. A message is last, because it may end without a full stop.
  const why = cancellation.cancelledBy === 'customer' ? '' : ` ${cancellation.message}`
  addNote(`${title}${why}`, 'urgent')
  alarm(order, { title, tag: `${apiKey} cancelled` })
}

/** Stores completed orders only. An open order must arrive by the stream, otherwise it would not ring. */
export async function loadDone(kept = doneKept.value): Promise<void> {
  // The list has the newest orders of all states, so the open ones are added.
  const limit = Math.min(DONE_KEPT.most, kept + openOrders().length)
  const newest = await restaurantApi<RestaurantOrder[]>(`orders?limit=${limit}`)
  newest.filter((order) => columnOf(order) === 'done').forEach(put)
}

/** Shows more completed orders, because a customer may call about the lunch of a busy day in the evening. */
export async function showEarlier(): Promise<void> {
  await loadDone(DONE_KEPT.most).then(
    () => (doneKept.value = DONE_KEPT.most),
    () => addNote('The earlier orders were not loaded. Try again.', 'error'),
  )
}

/** Reads the current state of an order. */
export async function readAgain(apiKey: string): Promise<void> {
  put(await restaurantApi<RestaurantOrder>(`order/${apiKey}`))
}

/** The orders with a request in progress. Their buttons are disabled. */
export const pending = signal<ReadonlySet<string>>(new Set())

export const report = (order: RestaurantOrder, status: OrderStatus): Promise<boolean> =>
  change(order, () => restaurantApi<RestaurantOrder>(`order/${order.apiKey}/status`, { body: { status } }))

/** Returns the refund as it would be, without requesting it. */
export const previewRefund = (order: RestaurantOrder, request: RefundRequest): Promise<Refund> =>
  restaurantApi<Refund>(`order/${order.apiKey}/refunds?validate-only=true`, { body: request })

/**
 * The idempotency keys of refunds with an unknown outcome. Another tap repeats the request, so the customer receives one refund.
 */
const refundKeys = new Map<string, string>()

export const refund = (order: RestaurantOrder, request: RefundRequest): Promise<boolean> =>
  change(order, async () => {
    const path = `order/${order.apiKey}`
    const name = `${path} ${JSON.stringify(request)}`
    const idempotencyKey = refundKeys.get(name) ?? crypto.randomUUID()
    refundKeys.set(name, idempotencyKey)
    await restaurantApi<Refund>(`${path}/refunds`, { body: request, idempotencyKey })
    const refunded = await restaurantApi<RestaurantOrder>(path)
    // Not before: without this read the dialog stays open, and another tap would refund the amount twice.
    refundKeys.delete(name)
    return refunded
  })

export const refuse = (order: RestaurantOrder, reason: string): Promise<boolean> =>
  change(order, () => restaurantApi<RestaurantOrder>(`order/${order.apiKey}/refuse`, { body: { reason } }))

/** Requests a change of an order, one at a time per order. Returns false, with a note on the page, if the change was not made. */
async function change(order: RestaurantOrder, request: () => Promise<RestaurantOrder>): Promise<boolean> {
  const { apiKey, id } = order
  if (pending.value.has(apiKey)) return false
  pending.value = new Set(pending.value).add(apiKey)
  try {
    return await attempt(async () => put(await request()), {
      of: ` for order ${id}`,
      onRefused: (error) => explain(order, error),
    })
  } finally {
    pending.value = new Set([...pending.value].filter((other) => other !== apiKey))
  }
}

async function explain({ apiKey, id }: RestaurantOrder, error: Refused): Promise<void> {
  if (error.code !== 'invalid-transition') return addNote(`Order ${id}: ${error.message}`, 'error')
  await readAgain(apiKey).catch(() => undefined)
  const order = known.value.get(apiKey)
  const state = order && (stateLabel(order) ?? 'in preparation').toLowerCase()
  addNote(`Order ${id} was changed elsewhere${state ? `: it is ${state} now` : ''}.`)
}
