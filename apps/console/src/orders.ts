import type { OrderStatus, RestaurantOrder } from '@platter/contracts'
import { computed, signal, untracked } from '@preact/signals'
import { alarm } from '#/alarm.ts'
import { NoAnswer, Refused, restaurantApi } from '#/api.ts'
import { now, timeOf } from '#/clock.ts'
import { isOffline } from '#/line.ts'
import { say } from '#/notes.ts'
import { columnOf, columns, isOlder, nameOf, stateLabel, warningsDue, type Column } from '#/order.ts'

type Orders = ReadonlyMap<string, RestaurantOrder>

const known = signal<Orders>(new Map())

/** Finished orders that are kept on the page; older ones are for the till. */
const DONE_KEPT = 50

const byAge = (one: RestaurantOrder, other: RestaurantOrder) =>
  one.datePlaced - other.datePlaced || one.id - other.id

/** What stands in each column: the longest waiting first, of what is done the newest. */
export const board = computed<Readonly<Record<Column, RestaurantOrder[]>>>(() => {
  const sorted = [...known.value.values()].toSorted(byAge)
  const inColumn = (column: Column) => sorted.filter((order) => columnOf(order) === column)
  return {
    new: inColumn('new'),
    preparing: inColumn('preparing'),
    ready: inColumn('ready'),
    done: inColumn('done').toReversed().slice(0, DONE_KEPT),
  }
})

/** Said to screen readers when an order comes in, or when one is not started in time. */
export const arrival = signal('')

export const forgetOrders = (): void => {
  known.value = new Map()
}

export const openOrders = (): RestaurantOrder[] =>
  columns.filter((column) => column !== 'done').flatMap((column) => board.value[column])

/** Takes in the record of an order, unless a later one of it is there. */
export function put(order: RestaurantOrder): void {
  const before = known.value.get(order.apiKey)
  if (before && isOlder(order, before)) return
  known.value = new Map(known.value).set(order.apiKey, order)
  if (before && !before.cancellation && order.cancellation) tellOfCancellation(order)
}

/** As `put`, for an order that the page may not have seen: a new one rings, once. */
export function receive(order: RestaurantOrder): void {
  const isNew = !known.value.has(order.apiKey)
  put(order)
  if (!isNew || columnOf(order) !== 'new') return
  arrival.value = `New order ${order.id}, ${order.method}, ${order.items.length} items`
  alarm(order, { title: `New order ${order.id}, ${nameOf(order)}`, tag: order.apiKey })
}

/** How many warnings of each new order have been due. */
let warnings: ReadonlyMap<string, number> = new Map()

/** Rings again for orders of which a warning falls due while the page is open. To be run as an effect. */
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

/** A kitchen must not go on cooking what somebody else has called off; what it refused itself it knows. */
function tellOfCancellation(order: RestaurantOrder): void {
  if (order.cancellation?.cancelledBy === 'restaurant') return
  say(`Order ${order.id} was cancelled: ${order.cancellation?.message ?? ''} Do not prepare it.`, 'urgent')
}

/** Only what is done: an order that is open is the stream's to bring, or it would come without its sound. */
export async function loadDone(): Promise<void> {
  const newest = await restaurantApi<RestaurantOrder[]>(`orders?limit=${DONE_KEPT}`)
  newest.filter((order) => columnOf(order) === 'done').forEach(put)
}

/** Reads an order again, as whoever was faster has left it. */
export async function readAgain(apiKey: string): Promise<void> {
  put(await restaurantApi<RestaurantOrder>(`order/${apiKey}`))
}

/** Orders with an answer under way: their buttons wait. */
export const busy = signal<ReadonlySet<string>>(new Set())

export const report = (order: RestaurantOrder, status: OrderStatus): Promise<boolean> =>
  change(order, `order/${order.apiKey}/status`, { status })

export const refuse = (order: RestaurantOrder, reason: string): Promise<boolean> =>
  change(order, `order/${order.apiKey}/refuse`, { reason })

/** Asks for a change of an order, once at a time. False when it was not done; why not is said on the page. */
async function change(order: RestaurantOrder, path: string, body: unknown): Promise<boolean> {
  const { apiKey, id } = order
  if (busy.value.has(apiKey)) return false
  if (isOffline()) {
    say(`You are offline. Nothing was sent for order ${id}: try again when the connection is back.`, 'error')
    return false
  }
  busy.value = new Set(busy.value).add(apiKey)
  try {
    put(await restaurantApi<RestaurantOrder>(path, { body }))
    return true
  } catch (error) {
    await explain(order, error)
    return false
  } finally {
    busy.value = new Set([...busy.value].filter((other) => other !== apiKey))
  }
}

async function explain({ apiKey, id }: RestaurantOrder, error: unknown): Promise<void> {
  if (error instanceof NoAnswer)
    return say(
      `No answer for order ${id}. The board shows what counts as soon as the connection is back.`,
      'error',
    )
  if (!(error instanceof Refused)) throw error
  if (error.code !== 'invalid-transition') return say(`Order ${id}: ${error.message}`, 'error')
  await readAgain(apiKey).catch(() => undefined)
  const order = known.value.get(apiKey)
  const state = order && (stateLabel(order) ?? 'in preparation').toLowerCase()
  say(`Order ${id} was moved on another screen${state ? `: it is ${state} now` : ''}.`)
}
