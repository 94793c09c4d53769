import { join } from 'node:path'
import { cents, type OrderStatus } from '@platter/contracts'
import { createLog, newApiKey, type ServerSentEvent } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { OrderDetails } from '#/domain/order.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import { StatusFeed } from '#/reading/status-feed.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'
import { postgresStores, type Stores } from '#/store/stores.ts'
import type { Db, Tables } from '#/store/tables.ts'

/* The events of subscribers, for commits in any order. */

const log = createLog('test', 'fatal')
let db: Db
let stores: Stores
let close: () => Promise<void>
let restaurantApiKey: string

beforeAll(async () => {
  const postgres = connectPostgres<Tables>(await newDatabase(), 10, log)
  ;({ db, close } = postgres)
  stores = postgresStores(db)
  await migrate(db, join(import.meta.dirname, '../../migrations'), log)
})
afterAll(() => close())
beforeEach(() => {
  restaurantApiKey = newApiKey()
})

const details: OrderDetails = {
  recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
  items: [],
  card: null,
  address: null,
  comments: null,
  subtotal: cents(0),
  tax: cents(0),
  tip: cents(0),
  deliveryPrice: cents(0),
}

/** An order that its restaurant has. */
async function anOrder(): Promise<string> {
  const apiKey = newApiKey()
  await db
    .insertInto('orders')
    .values({
      api_key: apiKey,
      application_id: 'an-application',
      recipient_api_key: null,
      restaurant_api_key: restaurantApiKey,
      method: 'pickup',
      payment: 'cash',
      test: false,
      total: 0,
      status: 'PROCESSING',
      payment_state: 'DUE',
      details: JSON.stringify(details),
      cancellation: null,
    })
    .execute()
  await db
    .insertInto('order_statuses')
    .values({ order_api_key: apiKey, position: 0, status: 'PROCESSING' })
    .execute()
  await db.updateTable('orders').set({ outcome: 'transmitted' }).where('api_key', '=', apiKey).execute()
  await stores.orders.addStatus(apiKey, 'AWAITING_PREPARATION')
  await settled(apiKey)
  return apiKey
}

/** Other tests fill tables in long transactions. */
const settled = (apiKey: string) =>
  vi.waitFor(async () => expect(await isSettled(apiKey)).toBe(true), { timeout: 30_000, interval: 10 })

/** No transaction older than the order's last change runs in any database of the server. */
async function isSettled(apiKey: string): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    select changed_in < pg_snapshot_xmin(pg_current_snapshot()) as settled from orders where api_key = ${apiKey}`.execute(
    db,
  )
  return rows[0]?.settled === true
}

const report = (apiKey: string, status: OrderStatus, { orders } = stores) => orders.addStatus(apiKey, status)

const roundOf = async (feed: { round(): AsyncIterable<ServerSentEvent> }): Promise<ServerSentEvent[]> =>
  Array.fromAsync(feed.round())

const aFeed = (lastEventId?: string) =>
  new RestaurantFeed({ ...stores, acceptWithinMs: 900_000 }, { restaurantApiKey, lastEventId })
/** "apiKey STATUS" of every order that was sent. */
const sent = (events: readonly ServerSentEvent[]) =>
  events.flatMap(({ event, data }) => {
    if (event !== 'order') return []
    const { apiKey, status } = JSON.parse(data) as { apiKey: string; status: string }
    return [`${apiKey} ${status}`]
  })

test('a change that commits out of order reaches a connected and a reconnecting client', async () => {
  const [late, early] = [await anOrder(), await anOrder()]
  const feed = aFeed()
  await roundOf(feed)
  const slow = await db.startTransaction().execute()
  // It has the lower transaction id, and commits last.
  await report(late, 'PREPARING', postgresStores(slow))
  await report(early, 'PREPARING')
  const before = await roundOf(feed)
  expect(sent(before)).toEqual([`${early} PREPARING`])
  await slow.commit().execute()
  expect(sent(await roundOf(feed)), 'a sent change is not sent again').toEqual([`${late} PREPARING`])
  const back = aFeed(before.at(-1)?.id)
  expect(sent(await roundOf(back))).toContain(`${late} PREPARING`)
})

test('a change during an older open transaction is sent once, not in every round', async () => {
  const order = await anOrder()
  const feed = aFeed()
  await roundOf(feed)
  const slow = await db.startTransaction().execute()
  await report(await anOrder(), 'PREPARING', postgresStores(slow))
  await report(order, 'PREPARING')
  expect(sent(await roundOf(feed))).toContain(`${order} PREPARING`)
  expect(sent(await roundOf(feed))).toEqual([])
  await report(order, 'DELIVERED')
  expect(sent(await roundOf(feed))).toEqual([`${order} DELIVERED`])
  await slow.rollback().execute()
})

/** The last status of each order in these events. */
const shown = (events: readonly ServerSentEvent[]) =>
  new Map(sent(events).map((line) => line.split(' ') as [string, string]))

test('a client that reconnects after any event receives the last status of each order', async () => {
  const [one, two, three] = [await anOrder(), await anOrder(), await anOrder()]
  const feed = aFeed()
  const events = await roundOf(feed)
  for (const apiKey of [one, two, three]) await report(apiKey, 'PREPARING')
  events.push(...(await roundOf(feed)))
  await report(one, 'DELIVERED')
  await settled(one)
  events.push(...(await roundOf(feed)))
  expect(events.map(({ event }) => event).indexOf('ready')).toBe(3)
  expect(events).toHaveLength(8)
  for (let received = 1; received <= events.length; received++) {
    const had = events.slice(0, received)
    const rest = await roundOf(aFeed(had.at(-1)?.id))
    expect(shown([...had, ...rest]), `cut after ${received}`).toEqual(
      new Map([
        [one, 'DELIVERED'],
        [two, 'PREPARING'],
        [three, 'PREPARING'],
      ]),
    )
    expect(rest.at(-1)?.event).toBe('ready')
  }
  expect(sent(await roundOf(aFeed(events.at(-1)?.id))), 'a client with all events gets none').toEqual([])
})

test('205 orders, more than a page, are all sent, oldest first', async () => {
  await Promise.all(Array.from({ length: 205 }, anOrder))
  const placed = await db
    .selectFrom('orders')
    .select('api_key')
    .where('restaurant_api_key', '=', restaurantApiKey)
    .orderBy('id')
    .execute()
  const lines = placed.map(({ api_key }) => `${api_key} AWAITING_PREPARATION`)
  expect(sent(await roundOf(aFeed()))).toEqual(lines)
  expect(sent(await roundOf(aFeed('1')))).toEqual(lines)
})

test('a stream sends the changes since its position from every bucket of the index', async () => {
  const [one, two] = [await anOrder(), await anOrder()]
  const position = (await roundOf(aFeed())).at(-1)?.id
  await report(one, 'PREPARING')
  // Into the next bucket (migration 0130). A transaction that is rolled back takes a number as well, and waits for no disk.
  await sql`do $$ begin
    for i in 1..16384 loop perform pg_current_xact_id(); rollback; end loop;
  end $$`.execute(db)
  await report(two, 'PREPARING')
  const buckets = await db
    .selectFrom('orders')
    .select('changed_bucket')
    .where('api_key', 'in', [one, two])
    .execute()
  expect(new Set(buckets.map(({ changed_bucket }) => changed_bucket)).size).toBe(2)
  expect(sent(await roundOf(aFeed(position)))).toEqual([`${one} PREPARING`, `${two} PREPARING`])
})

test('a change of an internal column sends no event', async () => {
  const order = await anOrder()
  const feed = aFeed()
  await roundOf(feed)
  await db.updateTable('orders').set({ told: true }).where('api_key', '=', order).execute()
  expect(await roundOf(feed)).toEqual([])
})

// Subscribers ----------------------------------------------------------------------------------------------

/** These tests publish nothing. */
const bus = { publishEvent: () => undefined }
const NEVER = new AbortController().signal
/** Whether the subscriber is woken by earlier changes. */
const isWoken = async (subscriber: { woken(signal: AbortSignal): Promise<void> }) => {
  const now = new AbortController()
  const woken = subscriber.woken(now.signal).then(
    () => true,
    () => false,
  )
  // A wake-up that has happened settles before the abort.
  await Promise.resolve()
  now.abort()
  return woken
}

test('a poll wakes the subscribers of changed orders and their restaurants, and no others', async () => {
  const [order, other] = [await anOrder(), await anOrder()]
  const notifier = new OrderNotifier({ ...stores, bus })
  const [mine, others, restaurant, elsewhere] = [
    notifier.subscribeToOrder(order),
    notifier.subscribeToOrder(other),
    notifier.subscribeToRestaurant(restaurantApiKey),
    notifier.subscribeToRestaurant('another'),
  ]
  const all = [mine, others, restaurant, elsewhere]
  await notifier.poll()
  expect(await Promise.all(all.map(isWoken)), 'the first poll wakes all subscribers').toEqual(
    all.map(() => true),
  )
  await notifier.poll()
  await report(order, 'PREPARING')
  await notifier.poll()
  expect(await Promise.all(all.map(isWoken))).toEqual([true, false, true, false])
})

test('a subscriber that is added during a poll is woken by the next poll', async () => {
  const order = await anOrder()
  const notifier = new OrderNotifier({ ...stores, bus })
  notifier.subscribeToOrder('some other one')
  await notifier.poll()
  const looking = notifier.poll()
  const subscription = notifier.subscribeToOrder(order)
  await report(order, 'PREPARING')
  await looking
  await notifier.poll()
  expect(await isWoken(subscription)).toBe(true)
})

test('an event wakes its subscribers at once, and no ended subscription', async () => {
  const order = await anOrder()
  const notifier = new OrderNotifier({ ...stores, bus })
  const subscription = notifier.subscribeToOrder(order)
  const restaurant = notifier.subscribeToRestaurant(restaurantApiKey)
  notifier.receive({ orderApiKey: order, restaurantApiKey })
  await Promise.all([subscription.woken(NEVER), restaurant.woken(NEVER)])
  subscription[Symbol.dispose]()
  notifier.receive({ orderApiKey: order })
  expect(await isWoken(subscription)).toBe(false)
})

// Statuses -------------------------------------------------------------------------------------------------

test('an order that fails before a client saw it ends its stream without an event', async () => {
  const order = await anOrder()
  const feed = new StatusFeed(stores.orders, order, undefined)
  await roundOf(feed)
  await db.updateTable('orders').set({ outcome: 'failed' }).where('api_key', '=', order).execute()
  expect(await roundOf(feed)).toEqual([])
  expect(feed.isOver).toBe(true)
})
