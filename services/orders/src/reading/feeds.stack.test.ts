import { cents, type OrderStatus } from '@platter/contracts'
import { newApiKey, type ServerSentEvent } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test, vi } from 'vitest'
import type { OrderDetails } from '#/domain/order.ts'
import { RestaurantFeed } from '#/reading/restaurant-feed.ts'
import { StatusFeed } from '#/reading/status-feed.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'
import { postgresStores } from '#/store/stores.ts'

/* The events that subscribers receive, for commits in any order. */

const { db } = await migratedDatabase('orders')
const stores = postgresStores(db)
let restaurantApiKey: string

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

/** Inserts a transmitted order, and returns its apiKey once the order is settled. */
async function insertOrder(): Promise<string> {
  const apiKey = newApiKey()
  await sql`
    insert into orders (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, details)
    values (${apiKey}, 'an-application', ${restaurantApiKey}, 'pickup', 'cash', false, 0, 'PROCESSING', 'DUE',
      ${JSON.stringify(details)}::jsonb)`.execute(db)
  await sql`
    insert into order_statuses (order_api_key, position, status) values (${apiKey}, 0, 'PROCESSING')`.execute(
    db,
  )
  await sql`update orders set outcome = 'transmitted' where api_key = ${apiKey}`.execute(db)
  await stores.orders.addStatus(apiKey, 'AWAITING_PREPARATION')
  await waitUntilSettled(apiKey)
  return apiKey
}

/** The time limit is long, because other tests on the server fill tables in long transactions. */
const waitUntilSettled = (apiKey: string) =>
  vi.waitFor(async () => expect(await isSettled(apiKey)).toBe(true), { timeout: 30_000, interval: 10 })

/** Returns whether no transaction of the server is older than the order's last change. */
async function isSettled(apiKey: string): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    select changed_in < pg_snapshot_xmin(pg_current_snapshot()) as settled from orders where api_key = ${apiKey}`.execute(
    db,
  )
  return rows[0]?.settled === true
}

const reportStatus = (apiKey: string, status: OrderStatus, { orders } = stores) =>
  orders.addStatus(apiKey, status)

const runRound = async (feed: { round(): AsyncIterable<ServerSentEvent> }): Promise<ServerSentEvent[]> =>
  Array.fromAsync(feed.round())

const aFeed = (lastEventId?: string) =>
  new RestaurantFeed({ ...stores, startWithinMs: 900_000 }, { restaurantApiKey, lastEventId })
/** "apiKey STATUS" of every order that was sent. */
const sent = (events: readonly ServerSentEvent[]) =>
  events.flatMap(({ event, data }) => {
    if (event !== 'order') return []
    const { apiKey, status } = JSON.parse(data) as { apiKey: string; status: string }
    return [`${apiKey} ${status}`]
  })

test('a change that commits out of order reaches a connected and a reconnecting client', async () => {
  const [late, early] = [await insertOrder(), await insertOrder()]
  const feed = aFeed()
  await runRound(feed)
  const slow = await db.startTransaction().execute()
  // This transaction has the lower id, and commits last.
  await reportStatus(late, 'PREPARING', postgresStores(slow))
  await reportStatus(early, 'PREPARING')
  const before = await runRound(feed)
  expect(sent(before)).toEqual([`${early} PREPARING`])
  await slow.commit().execute()
  expect(sent(await runRound(feed)), 'a sent change is not sent again').toEqual([`${late} PREPARING`])
  const reconnected = aFeed(before.at(-1)?.id)
  expect(sent(await runRound(reconnected))).toContain(`${late} PREPARING`)
})

test('a change during an older open transaction is sent once, not in every round', async () => {
  const order = await insertOrder()
  const feed = aFeed()
  await runRound(feed)
  const slow = await db.startTransaction().execute()
  await reportStatus(await insertOrder(), 'PREPARING', postgresStores(slow))
  await reportStatus(order, 'PREPARING')
  expect(sent(await runRound(feed))).toContain(`${order} PREPARING`)
  expect(sent(await runRound(feed))).toEqual([])
  await reportStatus(order, 'DELIVERED')
  expect(sent(await runRound(feed))).toEqual([`${order} DELIVERED`])
  await slow.rollback().execute()
})

/** The last status of each order in these events. */
const lastStatuses = (events: readonly ServerSentEvent[]) =>
  new Map(sent(events).map((line) => line.split(' ') as [string, string]))

test('a client that reconnects after any event receives the last status of each order', async () => {
  const [one, two, three] = [await insertOrder(), await insertOrder(), await insertOrder()]
  const feed = aFeed()
  const events = await runRound(feed)
  for (const apiKey of [one, two, three]) await reportStatus(apiKey, 'PREPARING')
  events.push(...(await runRound(feed)))
  await reportStatus(one, 'DELIVERED')
  await waitUntilSettled(one)
  events.push(...(await runRound(feed)))
  expect(events.map(({ event }) => event).indexOf('ready')).toBe(3)
  expect(events).toHaveLength(8)
  for (let received = 1; received <= events.length; received++) {
    const earlier = events.slice(0, received)
    const rest = await runRound(aFeed(earlier.at(-1)?.id))
    expect(lastStatuses([...earlier, ...rest]), `cut after ${received}`).toEqual(
      new Map([
        [one, 'DELIVERED'],
        [two, 'PREPARING'],
        [three, 'PREPARING'],
      ]),
    )
    expect(rest.at(-1)?.event).toBe('ready')
  }
  expect(sent(await runRound(aFeed(events.at(-1)?.id))), 'a client with all events gets none').toEqual([])
})

test('an order that ends while the first round is repeated after a failure is sent as ended', async () => {
  const order = await insertOrder()
  const firstPage = await stores.restaurantOrders.changed(restaurantApiKey, {
    since: null,
    whole: true,
    after: 0,
    limit: 1,
  })
  using changed = vi.spyOn(stores.restaurantOrders, 'changed')
  changed.mockResolvedValueOnce({ ...firstPage, hasMore: true })
  changed.mockRejectedValueOnce(new Error('the connection to PostgreSQL ended'))
  const feed = aFeed()
  const received: ServerSentEvent[] = []
  const firstRound = async () => {
    for await (const event of feed.round()) received.push(event)
  }
  await expect(firstRound()).rejects.toThrow('PostgreSQL')
  await reportStatus(order, 'PREPARING')
  await reportStatus(order, 'DELIVERED')
  await waitUntilSettled(order)
  received.push(...(await runRound(feed)))
  expect(lastStatuses(received)).toEqual(new Map([[order, 'DELIVERED']]))
})

test('205 orders, more than a page, are all sent, oldest first', async () => {
  await Promise.all(Array.from({ length: 205 }, insertOrder))
  const { rows } = await sql<{ api_key: string }>`
    select api_key from orders where restaurant_api_key = ${restaurantApiKey} order by id`.execute(db)
  const lines = rows.map(({ api_key }) => `${api_key} AWAITING_PREPARATION`)
  expect(sent(await runRound(aFeed()))).toEqual(lines)
  expect(sent(await runRound(aFeed('1')))).toEqual(lines)
})

test('a stream sends the changes since its position from every bucket of the index', async () => {
  const [one, two] = [await insertOrder(), await insertOrder()]
  const position = (await runRound(aFeed())).at(-1)?.id
  await reportStatus(one, 'PREPARING')
  // Advances to the next bucket (migration 0130). A rolled back transaction also takes an id, and waits for no disk.
  await sql`do $$ begin
    for i in 1..16384 loop perform pg_current_xact_id(); rollback; end loop;
  end $$`.execute(db)
  await reportStatus(two, 'PREPARING')
  const { rows } = await sql`
    select distinct changed_bucket from orders where api_key = any(${[one, two]})`.execute(db)
  expect(rows).toHaveLength(2)
  expect(sent(await runRound(aFeed(position)))).toEqual([`${one} PREPARING`, `${two} PREPARING`])
})

test('a change of an internal column sends no event', async () => {
  const order = await insertOrder()
  const feed = aFeed()
  await runRound(feed)
  await sql`update orders set told = true where api_key = ${order}`.execute(db)
  expect(await runRound(feed)).toEqual([])
})

// Subscribers ----------------------------------------------------------------------------------------------

/** The notifiers of these tests publish no events. */
const bus = { publishEvent: () => undefined }
const NEVER = new AbortController().signal
/** Returns whether earlier changes have woken the subscriber. */
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
  const [order, other] = [await insertOrder(), await insertOrder()]
  const notifier = new OrderNotifier({ ...stores, bus })
  const [mine, others, restaurant, elsewhere] = [
    notifier.orders.add(order),
    notifier.orders.add(other),
    notifier.restaurants.add(restaurantApiKey),
    notifier.restaurants.add('another'),
  ]
  const all = [mine, others, restaurant, elsewhere]
  await notifier.poll()
  expect(await Promise.all(all.map(isWoken)), 'the first poll wakes all subscribers').toEqual(
    all.map(() => true),
  )
  await notifier.poll()
  await reportStatus(order, 'PREPARING')
  await notifier.poll()
  expect(await Promise.all(all.map(isWoken))).toEqual([true, false, true, false])
})

test('a subscriber that is added during a poll is woken by the next poll', async () => {
  const order = await insertOrder()
  const notifier = new OrderNotifier({ ...stores, bus })
  notifier.orders.add('another order')
  await notifier.poll()
  const polling = notifier.poll()
  const subscription = notifier.orders.add(order)
  await reportStatus(order, 'PREPARING')
  await polling
  await notifier.poll()
  expect(await isWoken(subscription)).toBe(true)
})

test('an event wakes its subscribers at once, and no ended subscription', async () => {
  const order = await insertOrder()
  const notifier = new OrderNotifier({ ...stores, bus })
  const subscription = notifier.orders.add(order)
  const restaurant = notifier.restaurants.add(restaurantApiKey)
  notifier.receive({ orderApiKey: order, restaurantApiKey })
  await Promise.all([subscription.woken(NEVER), restaurant.woken(NEVER)])
  subscription[Symbol.dispose]()
  notifier.receive({ orderApiKey: order })
  expect(await isWoken(subscription)).toBe(false)
})

// Statuses -------------------------------------------------------------------------------------------------

test('an order that fails before a client saw it ends its stream without an event', async () => {
  const order = await insertOrder()
  const feed = new StatusFeed(stores.orders, order, undefined)
  await runRound(feed)
  await sql`update orders set outcome = 'failed' where api_key = ${order}`.execute(db)
  expect(await runRound(feed)).toEqual([])
  expect(feed.isOver).toBe(true)
})
