import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Bus } from '@platter/bus'
import type { OrderStatus, RestaurantLink } from '@platter/contracts'
import { createLog, newApiKey, Repeaters } from '@platter/kit'
import { migratedDatabase, servers } from '@platter/testkit'
import { startHttpServer } from '@platter/testkit/http-server'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newOrder } from '#/domain/order-state.ts'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { newSaga } from '#/domain/saga-row.ts'
import { outgoing } from '#/delivery/outside/outgoing.ts'
import type { Receipt, Transmission } from '#/delivery/outside/restaurant-link.ts'
import { recordStatus } from '#/delivery/record-status.ts'
import { Orchestrator, type OpenDelivery } from '#/saga/orchestrator.ts'
import { postgresStores } from '#/store/stores.ts'
import { pricedOrder } from '#/testing/priced-order.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'
import { cancelUnstarted } from '#/delivery/cancel-unstarted.ts'
import { Deliverer, PER_RESTAURANT } from '#/delivery/deliverer.ts'
import { LEASE_MS } from '#/domain/order-state.ts'
import { notifyCancellations } from '#/delivery/notify-cancellation.ts'
import { transmitByWebhook } from '#/delivery/outside/webhook.ts'

/* Deliveries with a real database and a real broker; restaurants are HTTP servers of this file. */

const log = createLog('test', 'fatal')
const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
const defaultLink = { kind: 'console', reports: 'detailed' } as const
const soon = { timeout: 45_000, interval: 50 }
const MINUTES_16 = 16 * 60_000
const START_WITHIN_MS = 15 * 60_000

/** Milliseconds. A test may change them. */
const deadlines = { sagaMs: 60_000, transmitMs: 500 }
const { db } = await migratedDatabase('orders')
const stores = postgresStores(db)
let bus: Bus
let orchestrator: Orchestrator
let transmit: (link: RestaurantLink, sent: Transmission) => Promise<Receipt>
const closing: (() => unknown)[] = []

beforeEach(async () => {
  deadlines.transmitMs = 500
  // The replicas of a test would sweep the deliveries of earlier tests.
  await sql`truncate orders cascade`.execute(db)
  bus = new Bus({ url: servers().rabbitmq, service: 'orders', log })
  await bus.start()
  transmit = async () => ({ kind: 'accepted' })
  closing.push(() => bus.close())
  orchestrator = replica().orchestrator
})

/** A replica with the parts that deliver orders. `isKilled`: it stops after each commit, before it begins a delivery. */
function replica({ isKilled = false } = {}) {
  const openDelivery: OpenDelivery = async (...opening) => {
    const opened = await deliverer.open(...opening)
    return isKilled ? { ...opened, begin: () => undefined } : opened
  }
  const deps = {
    ...stores,
    bus,
    log,
    defaultLink,
    deadlines,
    notifier: new OrderNotifier({ ...stores, bus }),
  }
  const made = new Orchestrator({ ...deps, openDelivery })
  const deliverer = new Deliverer({
    ...deps,
    orchestrator: made,
    transmit: (link, sent) => transmit(link, sent),
  })
  if (isKilled) return { orchestrator: made }
  const repeaters = new Repeaters(log)
  repeaters.repeat('retry deliveries', 100, () => deliverer.sweep())
  repeaters.repeat('renew leases', 500, () => deliverer.renewLeases())
  closing.push(() => repeaters.stop())
  return { orchestrator: made }
}

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Starts the system of a restaurant, which accepts all orders. Returns the link to it. */
async function startKitchen(): Promise<RestaurantLink> {
  const { url, close } = await startHttpServer((_request, response) => response.end())
  closing.push(close)
  return { kind: 'webhook', url: `${url}/orders`, secret, reports: 'detailed' }
}

function byWebhook() {
  const client = outgoing(['127.0.0.0/8'])
  closing.push(() => client.close())
  return async (link: RestaurantLink, sent: Transmission): Promise<Receipt> =>
    link.kind === 'webhook'
      ? transmitByWebhook({ dispatcher: client.dispatcher, link }, sent)
      : { kind: 'accepted' }
}

/** Stores a webhook as the link of a new restaurant, and returns the restaurant's apiKey. */
async function addWebhook(): Promise<string> {
  const restaurant = newApiKey()
  const link = { kind: 'webhook', url: 'https://kitchen.example/', secret, reports: 'detailed' } as const
  await stores.restaurantLinks.put(restaurant, link)
  return restaurant
}

/** Places an order. The delivery of a cash order begins at once; a card order awaits its authorization. */
async function placeOrder(
  restaurantApiKey: string,
  { by = orchestrator, token = null as string | null } = {},
): Promise<string> {
  const apiKey = newApiKey()
  const priced = pricedOrder({ payment: token === null ? 'cash' : 'card', restaurantApiKey })
  const facts = { total: priced.total, token, userApiKey: null, newCard: null, newAddress: null }
  await by.place({
    applicationId: 'an-application',
    order: newOrder(apiKey, priced, Math.floor(Date.now() / 1_000)),
    saga: newSaga({ orderApiKey: apiKey, requestId: 'a-request', facts }),
    idempotency: null,
  })
  return apiKey
}

async function stateOf(apiKey: string) {
  const { rows } = await sql<{
    outcome: string
    status: string
    delivery: string | null
    link: string | null
    cancelled: boolean
    finished: boolean
    version: number
  }>`
    select o.outcome, o.status, s.version, d.outcome as delivery, d.link_kind as link, o.cancellation is not null as cancelled,
      s.finished_at is not null as finished
    from orders o left join deliveries d on d.order_api_key = o.api_key join sagas s on s.order_api_key = o.api_key
    where o.api_key = ${apiKey}`.execute(db)
  return rows[0]
}

/** Places a cash order, and waits until its restaurant has accepted the delivery. */
async function placeDeliveredOrder(restaurantApiKey: string): Promise<string> {
  const apiKey = await placeOrder(restaurantApiKey)
  await expect.poll(() => stateOf(apiKey), soon).toMatchObject({ delivery: 'accepted' })
  return apiKey
}

const backdatePlacement = (apiKey: string, ms: number) =>
  sql`update orders set placed_at = placed_at - ${ms} * interval '1 millisecond' where api_key = ${apiKey}`.execute(
    db,
  )

const backdateDelivery = (apiKey: string, ms: number) =>
  sql`update order_statuses set at = now() - ${ms} * interval '1 millisecond' where order_api_key = ${apiKey}`.execute(
    db,
  )

const cancelledAsUnstarted = async (apiKey: string) => {
  await cancelUnstarted({ ...stores, orchestrator, startWithinMs: START_WITHIN_MS })
  return (await stateOf(apiKey))?.cancelled
}

test('a delivery whose attempts all throw ends as unreachable at its deadline', async () => {
  transmit = () => Promise.reject(new Error('unsupported Unicode escape sequence'))
  const apiKey = await placeOrder(await addWebhook())
  await expect
    .poll(() => stateOf(apiKey), soon)
    .toMatchObject({ outcome: 'failed', delivery: 'unreachable', finished: true })
})

const expireLease = (apiKey: string) =>
  sql`update deliveries set busy_until = now() where order_api_key = ${apiKey}`.execute(db)

test('a delivery whose attempts never store a result ends as unreachable at its deadline', async () => {
  let attempts = 0
  transmit = () => {
    attempts += 1
    return Promise.withResolvers<Receipt>().promise
  }
  const apiKey = await placeOrder(await addWebhook())
  const stateAfterExpiry = async () => {
    await expireLease(apiKey)
    return stateOf(apiKey)
  }
  await expect.poll(stateAfterExpiry, soon).toMatchObject({ outcome: 'failed', delivery: 'unreachable' })
  expect(attempts).toBeGreaterThan(0)
})

test('the commit that opens a delivery acquires the lease of its first attempt', async () => {
  const apiKey = await placeOrder(await addWebhook(), { by: replica({ isKilled: true }).orchestrator })
  expect(await leaseDelayMs(apiKey)).toBe(0)
})

test('an accepted order is not sent again when its delivery is open by mistake', async () => {
  let attempts = 0
  transmit = async () => {
    attempts += 1
    return { kind: 'accepted' }
  }
  const delivered = await placeDeliveredOrder(await addWebhook())
  await sql`update deliveries set outcome = null, busy_until = now() where order_api_key = ${delivered}`.execute(
    db,
  )
  const lost = await placeOrder(await addWebhook(), { by: replica({ isKilled: true }).orchestrator })
  await expireLease(lost)
  // A sweep takes the longest due delivery first, so the sweep that finds this one has skipped the other one.
  await expect.poll(() => stateOf(lost), soon).toMatchObject({ delivery: 'accepted' })
  expect(attempts).toBe(2)
})

test('two replicas send an order once although its response takes longer than LEASE_MS', async () => {
  deadlines.transmitMs = 60_000
  replica()
  let attempts = 0
  const receipt = Promise.withResolvers<Receipt>()
  transmit = () => {
    attempts += 1
    return receipt.promise
  }
  const apiKey = await placeOrder(await addWebhook())
  await expect.poll(() => leaseDelayMs(apiKey), soon).toBeGreaterThan(LEASE_MS)
  expect(attempts).toBe(1)
  receipt.resolve({ kind: 'accepted' })
  await expect.poll(() => stateOf(apiKey), soon).toMatchObject({ delivery: 'accepted' })
  expect(attempts).toBe(1)
})

/** Milliseconds from the placement of the order to its last lease (the expiry minus LEASE_MS). */
async function leaseDelayMs(apiKey: string): Promise<number> {
  const { rows } = await sql<{ delay: number }>`
    select extract(epoch from busy_until - placed_at)::float8 * 1000 - ${LEASE_MS}::float8 as delay
    from deliveries join orders on api_key = order_api_key where api_key = ${apiKey}`.execute(db)
  return rows[0]?.delay ?? Number.NaN
}

test('a console order is accepted by the commit of its pivot', async () => {
  const cash = await placeOrder(newApiKey())
  expect(await stateOf(cash)).toMatchObject({
    version: 1,
    outcome: 'transmitted',
    delivery: 'accepted',
    link: 'console',
  })
  const card = await placeOrder(newApiKey(), { token: 'tok_1' })
  expect(await stateOf(card)).toMatchObject({ version: 0, outcome: 'pending', delivery: null })
  await authorized(card)
  expect(await stateOf(card)).toMatchObject({
    version: 2,
    outcome: 'transmitted',
    delivery: 'accepted',
    link: 'console',
  })
})

const authorized = (orderApiKey: string) =>
  orchestrator.apply(orderApiKey, {
    kind: 'replied',
    step: 'authorize',
    isCompensation: false,
    version: 0,
    outcome: { kind: 'done' },
  })

test('an order is sent over the restaurant link that is current at its authorization', async () => {
  deadlines.transmitMs = 60_000
  const restaurant = newApiKey()
  const apiKey = await placeOrder(restaurant, { token: 'tok_1' })
  await stores.restaurantLinks.put(restaurant, await startKitchen())
  await authorized(apiKey)
  await expect.poll(() => stateOf(apiKey), soon).toMatchObject({ delivery: 'accepted', link: 'webhook' })
})

/** `npm run races` sets 1,000 rounds. With those, the last two cases take half a minute. */
// eslint-disable-next-line no-restricted-properties -- the length of a test is no configuration of a service
const RACES = Number(process.env['RACES'] ?? 60)

test.each([
  ['as unstarted', 'system'],
  ['by its customer', 'customer'],
  ['by an operator', 'operator'],
] as const)(
  'an order that is started and cancelled %s on another replica is either started or cancelled',
  async (_, by) => {
    const other = replica().orchestrator
    const counts = { begun: 0, cancelled: 0 }
    // The machine decides which one commits first. The rounds continue until each one was first.
    for (
      let round = 0;
      round < RACES || (round < 10 * RACES && Math.min(counts.begun, counts.cancelled) === 0);
      round += 1
    ) {
      const apiKey = await placeOrder(newApiKey())
      const refusal = { code: 'restaurant-unreachable', detail: 'because' } as const
      const [progress, cancelled] = await Promise.all([
        progressOf(apiKey, 'PREPARING'),
        other.apply(apiKey, { kind: 'cancelled', by, refusal, onlyUnstarted: true }),
      ])
      const isBegun = progress?.kind === 'advanced'
      const isCancelled = cancelled !== null
      expect(isBegun).toBe(!isCancelled)
      expect(await stateOf(apiKey)).toMatchObject({
        status: isBegun ? 'PREPARING' : 'AWAITING_PREPARATION',
        cancelled: isCancelled,
        finished: true,
      })
      counts[isBegun ? 'begun' : 'cancelled'] += 1
    }
    expect(Math.min(counts.begun, counts.cancelled), 'each side wins at least once').toBeGreaterThan(0)
  },
  120_000 + RACES * 300,
)

test('an order cancelled during its transmission fails; its notice is due more than 10 s later', async () => {
  deadlines.transmitMs = 60_000
  const receipt = Promise.withResolvers<Receipt>()
  const sent = Promise.withResolvers<void>()
  transmit = () => {
    sent.resolve()
    return receipt.promise
  }
  const apiKey = await placeOrder(await addWebhook())
  await sent.promise
  const refusal = { code: 'order-cancelled', detail: 'because' } as const
  await orchestrator.apply(apiKey, { kind: 'cancelled', by: 'customer', refusal, onlyUnstarted: true })
  receipt.resolve({ kind: 'accepted' })
  await Promise.resolve()
  expect(await stateOf(apiKey)).toMatchObject({ outcome: 'failed', cancelled: true, delivery: 'unreachable' })
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from cancel_at - now())::float8 as seconds from deliveries where order_api_key = ${apiKey}`.execute(
    db,
  )
  // An attempt takes at most 10 s.
  expect(rows[0]?.seconds).toBeGreaterThan(10)
})

test('an order that was sent by webhook is not cancelled as unstarted after a change to the console', async () => {
  const restaurant = newApiKey()
  transmit = byWebhook()
  await stores.restaurantLinks.put(restaurant, await startKitchen())
  const apiKey = await placeDeliveredOrder(restaurant)
  await backdateDelivery(apiKey, MINUTES_16)
  await stores.restaurantLinks.put(restaurant, defaultLink)
  expect(await cancelledAsUnstarted(apiKey)).toBe(false)
})

test('an order on a console is cancelled as unstarted, also after a change to a webhook', async () => {
  const restaurant = newApiKey()
  const apiKey = await placeDeliveredOrder(restaurant)
  await stores.restaurantLinks.put(restaurant, await startKitchen())
  expect(await cancelledAsUnstarted(apiKey)).toBe(false)
  await backdateDelivery(apiKey, MINUTES_16)
  expect(await cancelledAsUnstarted(apiKey)).toBe(true)
})

/** Returns whether a restaurant reads an order as waiting on its console. */
const isWaiting = async (restaurant: string, apiKey: string) => {
  const found = await stores.restaurantOrders.find(restaurant, apiKey)
  return found && found.waitingSince !== null
}

test('an order has its whole time on a console, however long its payment took', async () => {
  const restaurant = newApiKey()
  const apiKey = await placeDeliveredOrder(restaurant)
  await backdatePlacement(apiKey, MINUTES_16)
  expect(await cancelledAsUnstarted(apiKey)).toBe(false)
  const found = await stores.restaurantOrders.find(restaurant, apiKey)
  expect((found?.waitingSince ?? 0) - (found?.datePlaced ?? 0)).toBeGreaterThanOrEqual(MINUTES_16 / 1_000)
  await backdateDelivery(apiKey, MINUTES_16)
  expect(await cancelledAsUnstarted(apiKey)).toBe(true)
  expect(await isWaiting(restaurant, apiKey)).toBe(false)
})

test('an order that is started, or was sent by webhook, does not wait on a console', async () => {
  const [atConsole, byKitchen] = [newApiKey(), newApiKey()]
  const apiKey = await placeDeliveredOrder(atConsole)
  expect(await isWaiting(atConsole, apiKey)).toBe(true)
  await progressOf(apiKey, 'PREPARING')
  expect(await isWaiting(atConsole, apiKey)).toBe(false)
  transmit = byWebhook()
  await stores.restaurantLinks.put(byKitchen, await startKitchen())
  expect(await isWaiting(byKitchen, await placeDeliveredOrder(byKitchen))).toBe(false)
})

test('an order older than a day, or without a stored link, is not cancelled as unstarted', async () => {
  const [old, unknown] = [await placeDeliveredOrder(newApiKey()), await placeDeliveredOrder(newApiKey())]
  await backdateDelivery(old, MINUTES_16)
  await backdatePlacement(old, 86_400_000 + MINUTES_16)
  await backdateDelivery(unknown, MINUTES_16)
  await sql`update deliveries set link_kind = null where order_api_key = ${unknown}`.execute(db)
  expect([await cancelledAsUnstarted(old), await cancelledAsUnstarted(unknown)]).toEqual([false, false])
})

const progressOf = (apiKey: string, to: OrderStatus) =>
  db.transaction().execute((trx) => recordStatus(postgresStores(trx).orders, apiKey, to))

test('an open order keeps the reports of its placement after its restaurant has changed them', async () => {
  const restaurant = newApiKey()
  await stores.restaurantLinks.put(restaurant, { kind: 'console', reports: 'coarse' })
  const apiKey = await placeDeliveredOrder(restaurant)
  await stores.restaurantLinks.put(restaurant, { kind: 'console', reports: 'detailed' })
  const found = await stores.restaurantOrders.find(restaurant, apiKey)
  expect(found && restaurantOrderRecord(found).nextStatuses).toEqual(['PREPARING_AND_DELIVERING'])
  expect(await progressOf(apiKey, 'PREPARING_AND_DELIVERING')).toMatchObject({
    kind: 'advanced',
  })
  await stores.restaurantLinks.put(restaurant, { kind: 'console', reports: 'coarse' })
  expect(await progressOf(apiKey, 'DELIVERED')).toMatchObject({ kind: 'advanced' })
})

test('an open order from before its reports were stored has those of the current link after the migration', async () => {
  const restaurant = newApiKey()
  const apiKey = await placeDeliveredOrder(restaurant)
  await sql`update orders set reports = null where api_key = ${apiKey}`.execute(db)
  await stores.restaurantLinks.put(restaurant, { kind: 'console', reports: 'coarse' })
  const migration = await readFile(join(MIGRATIONS, '0250_store_reports_of_open_orders.sql'), 'utf8')
  // eslint-disable-next-line no-restricted-properties -- a file of this repository
  await sql.raw(migration).execute(db)
  expect(await progressOf(apiKey, 'PREPARING_AND_DELIVERING')).toMatchObject({
    kind: 'advanced',
  })
})

test.each([
  ['sent by webhook: the webhook is notified', 'webhook', 'webhook', { calls: 1, isNotified: true }],
  [
    'sent by webhook, now without one: the notice stays due',
    'webhook',
    'console',
    { calls: 0, isNotified: false },
  ],
  ['shown on a console: no webhook is notified', 'console', 'webhook', { calls: 0, isNotified: true }],
  ['without a stored link: the current webhook is notified', null, 'webhook', { calls: 1, isNotified: true }],
] as const)('a due cancellation of an order %s', async (_, sentBy, current, expected) => {
  const restaurant = newApiKey()
  const link = await startKitchen()
  const apiKey = await placeDeliveredOrder(restaurant)
  await stores.restaurantLinks.put(restaurant, current === 'webhook' ? link : defaultLink)
  await sql`
    update deliveries set outcome = 'unreachable', link_kind = ${sentBy}, cancel_at = now(), cancel_until = now() + interval '1 day'
    where order_api_key = ${apiKey}`.execute(db)
  let calls = 0
  const cancel = async () => ((calls += 1) > 0 ? null : 'status 500')
  await notifyCancellations({ ...stores, log, defaultLink, cancel })
  const { rows } = await sql<{ isNotified: boolean }>`
    select cancel_at is null as "isNotified" from deliveries where order_api_key = ${apiKey}`.execute(db)
  expect({ calls, ...rows[0] }).toEqual(expected)
})

const notReached = { kind: 'not-reached', reason: 'ECONNREFUSED' } as const
const noResponse = { kind: 'unknown', reason: 'timeout' } as const

test.each<[title: string, receipts: readonly (Receipt | null)[], notices: number]>([
  ['whose webhook accepted no connection, gets no notice', [notReached], 0],
  ['whose webhook did not respond, gets its notice', [noResponse], 1],
  ['whose first attempt has no stored result, gets its notice', [null, notReached], 1],
])('an order that failed at its deadline, %s', async (_, receipts, notices) => {
  const left = [...receipts]
  transmit = async () => left.shift() ?? Promise.reject(new Error('planted'))
  const apiKey = await placeOrder(await addWebhook())
  expect({ left, ...(await noticesOfFailed(apiKey)) }).toEqual({
    left: [],
    sent: notices,
    incidents: notices,
  })
})

test('an order that failed at its deadline without a permit for its restaurant gets no notice', async () => {
  transmit = () => Promise.withResolvers<Receipt>().promise
  const restaurant = await addWebhook()
  for (let permits = PER_RESTAURANT; permits > 0; permits -= 1) await placeOrder(restaurant)
  expect(await noticesOfFailed(await placeOrder(restaurant))).toEqual({ sent: 0, incidents: 0 })
})

/** Waits until an order has failed. Returns the notices to its restaurant, and the incidents two minutes later. */
async function noticesOfFailed(apiKey: string) {
  await expect.poll(() => stateOf(apiKey), soon).toMatchObject({ outcome: 'failed', delivery: 'unreachable' })
  await sql`update deliveries set cancel_until = cancel_until - interval '121 seconds' where order_api_key = ${apiKey}`.execute(
    db,
  )
  let sent = 0
  const cancel = async () => ((sent += 1) > 0 ? 'status 500' : null)
  await notifyCancellations({ ...stores, log, defaultLink, cancel })
  return { sent, incidents: (await stores.incidents.unconfirmedCancellations()).length }
}
