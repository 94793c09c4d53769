import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Bus } from '@platter/bus'
import { cents, RestaurantsTransmit, type RestaurantLink } from '@platter/contracts'
import { createLog, newApiKey, repeat } from '@platter/kit'
import { migrate } from '@platter/kit/migrate'
import { connectPostgres } from '@platter/kit/postgres'
import { newDatabase, servers } from '@platter/testkit'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancelUntaken } from '#/cancel-untaken.ts'
import { Conductor } from '#/conductor.ts'
import { restaurantOrderRecord } from '#/domain/restaurant-order.ts'
import { outgoing } from '#/outside/outgoing.ts'
import type { Receipt, Transmission } from '#/outside/restaurant-link.ts'
import { transmitByWebhook } from '#/outside/webhook.ts'
import { recordProgress } from '#/progress.ts'
import { PER_RESTAURANT } from '#/restaurant-permits.ts'
import * as deliveries from '#/store/deliveries.ts'
import * as restaurantLinks from '#/store/restaurant-links.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db, Tables } from '#/store/tables.ts'
import { tellCancellations } from '#/tell-cancellations.ts'
import { Waiters } from '#/waiters.ts'
import { transmitHandler } from './transmit.ts'

/* Deliveries of cash orders through a real broker and a real database; restaurants are HTTP servers of this file. */

const log = createLog('test', 'fatal')
const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`
const defaultLink = { kind: 'console', reports: 'detailed' } as const
const soon = { timeout: 45_000, interval: 50 }
/** A replica has more; so many are filled by fewer orders. */
const TRANSMISSIONS_AT_ONCE = 64
const MINUTES_16 = 16 * 60_000
const TAKE_WITHIN_MS = 15 * 60_000

/** Those of the test in hand. */
const deadlines = { sagaMs: 60_000, transmitMs: 500 }
let db: Db
let conductor: Conductor
let transmit: (link: RestaurantLink, sent: Transmission) => Promise<Receipt>
const closing: (() => unknown)[] = []

/** A replica of orders, as far as deliveries need it. */
beforeEach(async () => {
  deadlines.transmitMs = 500
  const postgres = connectPostgres<Tables>(await newDatabase(), 10, log)
  ;({ db } = postgres)
  await migrate(db, join(import.meta.dirname, '../../migrations'), log)
  const bus = new Bus({ url: servers().rabbitmq, service: 'orders', log })
  conductor = new Conductor({ db, bus, waiters: new Waiters(), log, deadlines })
  const handler = transmitHandler({
    db,
    conductor,
    log,
    defaultLink,
    transmit: (link, sent) => transmit(link, sent),
  })
  bus.onCommand(RestaurantsTransmit, handler, { atOnce: TRANSMISSIONS_AT_ONCE })
  await bus.start()
  const wake = repeat('wake sagas', 100, () => conductor.wakeDue(), log)
  transmit = async () => ({ kind: 'accepted' })
  closing.push(
    () => postgres.close(),
    () => bus.close(),
    () => bus.quiesce(),
    () => wake.stop(),
  )
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A restaurant's own system. */
async function aKitchen(listener: RequestListener): Promise<{ link: RestaurantLink; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`
  return { link: { kind: 'webhook', url, secret, reports: 'detailed' }, server }
}

function byWebhook() {
  const way = outgoing(['127.0.0.0/8'])
  closing.push(() => way.close())
  return async (link: RestaurantLink, sent: Transmission): Promise<Receipt> =>
    link.kind === 'webhook'
      ? transmitByWebhook({ dispatcher: way.dispatcher, link }, sent)
      : { kind: 'accepted' }
}

/** A cash order is accepted; its first command is published. */
async function anOrder(restaurantApiKey: string): Promise<string> {
  const apiKey = newApiKey()
  await conductor.accept({
    apiKey,
    applicationId: 'an-application',
    order: {
      method: 'delivery',
      payment: 'cash',
      test: false,
      restaurantApiKey,
      recipientApiKey: null,
      total: cents(1_075),
      details: {
        recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
        items: [],
        card: null,
        address: null,
        comments: null,
        subtotal: cents(1_075),
        tax: cents(0),
        tip: cents(0),
        deliveryPrice: cents(0),
      },
    },
    facts: { total: cents(1_075), token: null, userApiKey: null, newCard: null, newAddress: null },
    requestId: 'a-request',
    idempotency: null,
  })
  return apiKey
}

async function stateOf(apiKey: string) {
  const { rows } = await sql<{
    outcome: string
    delivery: string | null
    link: string | null
    cancelled: boolean
    finished: boolean
  }>`
    select o.outcome, d.outcome as delivery, d.link_kind as link, o.cancellation is not null as cancelled,
      s.finished_at is not null as finished
    from orders o join deliveries d on d.order_api_key = o.api_key join sagas s on s.order_api_key = o.api_key
    where o.api_key = ${apiKey}`.execute(db)
  return rows[0]
}

async function aDeliveredOrder(restaurantApiKey: string): Promise<string> {
  const apiKey = await anOrder(restaurantApiKey)
  await expect.poll(() => stateOf(apiKey), soon).toMatchObject({ delivery: 'accepted' })
  return apiKey
}

const placedBefore = (apiKey: string, ms: number) =>
  sql`update orders set placed_at = now() - ${ms} * interval '1 millisecond' where api_key = ${apiKey}`.execute(
    db,
  )

const cancelledAsUntaken = async (apiKey: string) => {
  await cancelUntaken({ db, conductor, withinMs: TAKE_WITHIN_MS })
  return (await stateOf(apiKey))?.cancelled
}

test('a restaurant that never answers uses up its own permits, and the order of another one is delivered at once', async () => {
  transmit = byWebhook()
  deadlines.transmitMs = 120_000
  let open = 0
  let mostOpen = 0
  let transmitted = 0
  const silent = await aKitchen((request) => {
    transmitted += 1
    mostOpen = Math.max(mostOpen, (open += 1))
    request.socket.once('close', () => (open -= 1))
  })
  const quick = await aKitchen((_request, response) => response.end())
  const [silentKey, quickKey] = [newApiKey(), newApiKey()]
  await restaurantLinks.put(db, silentKey, silent.link)
  await restaurantLinks.put(db, quickKey, quick.link)
  await Promise.all(Array.from({ length: TRANSMISSIONS_AT_ONCE + 50 }, () => anOrder(silentKey)))
  await expect.poll(() => open, soon).toBe(PER_RESTAURANT)

  await aDeliveredOrder(quickKey)
  // Without permits, a transmission of each of the silent restaurant's orders would have come first.
  expect(transmitted).toBeLessThan(TRANSMISSIONS_AT_ONCE)
  expect(mostOpen).toBe(PER_RESTAURANT)
})

test('the deadline ends a delivery whose every attempt throws', async () => {
  transmit = () => Promise.reject(new Error('unsupported\u0000 Unicode escape sequence'))
  const apiKey = await anOrder(newApiKey())
  await expect
    .poll(() => stateOf(apiKey), soon)
    .toMatchObject({ outcome: 'failed', delivery: 'unreachable', finished: true })
  const row = await db
    .selectFrom('deliveries')
    .select('last_result')
    .where('order_api_key', '=', apiKey)
    .executeTakeFirstOrThrow()
  expect(row.last_result).toBe('failed: unsupported Unicode escape sequence')
})

test('a delivery whose attempts were killed before they noted anything counts as tried', async () => {
  transmit = () => Promise.withResolvers<Receipt>().promise
  const apiKey = await anOrder(newApiKey())
  const takeOver = () => deliveries.take(db, apiKey, { busyMs: 60_000, takeOver: true })
  await expect.poll(async () => (await takeOver())?.tried, soon).toBe(true)
  await expect.poll(async () => (await takeOver())?.overdue, soon).toBe(true)
})

test('an order that a webhook has is not cancelled as untaken when the link becomes the console', async () => {
  const restaurant = newApiKey()
  transmit = byWebhook()
  await restaurantLinks.put(db, restaurant, (await aKitchen((_request, response) => response.end())).link)
  const apiKey = await aDeliveredOrder(restaurant)
  await placedBefore(apiKey, MINUTES_16)
  await restaurantLinks.put(db, restaurant, defaultLink)
  expect(await cancelledAsUntaken(apiKey)).toBe(false)
})

test('an order that lies on a console is cancelled as untaken, also when the link is a webhook by now', async () => {
  const restaurant = newApiKey()
  const apiKey = await aDeliveredOrder(restaurant)
  await restaurantLinks.put(db, restaurant, (await aKitchen((_request, response) => response.end())).link)
  expect(await cancelledAsUntaken(apiKey)).toBe(false)
  await placedBefore(apiKey, MINUTES_16)
  expect(await cancelledAsUntaken(apiKey)).toBe(true)
})

test('an order of long ago, and one whose link was not kept, are never cancelled as untaken', async () => {
  const [old, unknown] = [await aDeliveredOrder(newApiKey()), await aDeliveredOrder(newApiKey())]
  await placedBefore(old, 86_400_000 + MINUTES_16)
  await placedBefore(unknown, MINUTES_16)
  await sql`update deliveries set link_kind = null where order_api_key = ${unknown}`.execute(db)
  expect([await cancelledAsUntaken(old), await cancelledAsUntaken(unknown)]).toEqual([false, false])
})

const progressOf = (apiKey: string, choose: Parameters<typeof recordProgress>[2]) =>
  db.transaction().execute((trx) => recordProgress(trx, apiKey, choose))

test('a restaurant that changes how it reports moves its open orders on as it did when they were placed', async () => {
  const restaurant = newApiKey()
  await restaurantLinks.put(db, restaurant, { kind: 'console', reports: 'coarse' })
  const apiKey = await aDeliveredOrder(restaurant)
  await restaurantLinks.put(db, restaurant, { kind: 'console', reports: 'detailed' })
  const found = await restaurantOrders.find(db, restaurant, apiKey)
  expect(found && restaurantOrderRecord(found, null).nextStatuses).toEqual(['PREPARING_AND_DELIVERING'])
  expect(await progressOf(apiKey, () => 'PREPARING_AND_DELIVERING')).toMatchObject({
    kind: 'advanced',
  })
  await restaurantLinks.put(db, restaurant, { kind: 'console', reports: 'coarse' })
  expect(await progressOf(apiKey, () => 'DELIVERED')).toMatchObject({ kind: 'advanced' })
})

test('an order from before that was kept is reported as its restaurant’s current link says', async () => {
  const restaurant = newApiKey()
  const apiKey = await aDeliveredOrder(restaurant)
  await sql`update orders set reports = null where api_key = ${apiKey}`.execute(db)
  await restaurantLinks.put(db, restaurant, { kind: 'console', reports: 'coarse' })
  expect(await progressOf(apiKey, () => 'PREPARING_AND_DELIVERING')).toMatchObject({
    kind: 'advanced',
  })
})

test.each([
  ['sent by a webhook, told by one', 'webhook', 'webhook', { calls: 1, isTold: true }],
  ['sent by a webhook, and untold while there is none', 'webhook', 'console', { calls: 0, isTold: false }],
  ['shown by a console, and no webhook hears of it', 'console', 'webhook', { calls: 0, isTold: true }],
  ['of an unknown link, told by the current one', null, 'webhook', { calls: 1, isTold: true }],
] as const)('a cancelled order is %s', async (_, sentBy, current, expected) => {
  const restaurant = newApiKey()
  const { link } = await aKitchen((_request, response) => response.end())
  const apiKey = await aDeliveredOrder(restaurant)
  await restaurantLinks.put(db, restaurant, current === 'webhook' ? link : defaultLink)
  await sql`
    update deliveries set outcome = 'unreachable', link_kind = ${sentBy}, cancel_at = now(), cancel_until = now() + interval '1 day'
    where order_api_key = ${apiKey}`.execute(db)
  let calls = 0
  const cancel = async () => (calls += 1) > 0
  await tellCancellations({ db, log, defaultLink, cancel })
  const row = await db
    .selectFrom('deliveries')
    .select('cancel_at')
    .where('order_api_key', '=', apiKey)
    .executeTakeFirstOrThrow()
  expect({ calls, isTold: row.cancel_at === null }).toEqual(expected)
})
