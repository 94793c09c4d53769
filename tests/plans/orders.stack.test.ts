import { cents } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import * as keyStore from '@platter/kit/idempotency/key-store'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOrder } from '../../services/orders/src/domain/order-state.ts'
import { fresh, newSaga } from '../../services/orders/src/domain/saga-row.ts'
import type { OrderFilter } from '../../services/orders/src/store/order-search.ts'
import type { Placement, Save } from '../../services/orders/src/store/sagas.ts'
import { postgresStores, type Stores } from '../../services/orders/src/store/stores.ts'
import { fillOrders } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

/** So many orders that a sequential scan costs more than an index, but few enough to insert within seconds. */
const ORDERS = 6_000
/** Tables that grow, or once grew, with every order. The other tables have a row for each restaurant or incident. */
const growing = ['orders', 'order_statuses', 'sagas', 'deliveries', 'idempotency_keys']

const order = newApiKey()
const restaurant = newApiKey()
const recipient = newApiKey()
const scope = { accessKeyId: 'a', path: '/publicapi/v1/send-order', key: 'k', fingerprint: 'f' }
const refusedScope = { ...scope, key: 'refused' }
const facts = { total: cents(1_075), token: 't', userApiKey: null, newCard: null, newAddress: null }

const times = { retryInMs: 1_000, deadlineInMs: 1_000, leaseMs: 1_000, deliverWithinMs: 1_000 }
const aSaga = (orderApiKey: string) => newSaga({ orderApiKey, requestId: 'r', facts })

const priced = {
  method: 'pickup',
  payment: 'card',
  test: false,
  restaurantApiKey: restaurant,
  recipientApiKey: recipient,
  total: cents(1_075),
  details: { items: [], card: null } as never,
} as const

const anOrder = (apiKey: string): Placement => ({
  ...times,
  applicationId: 'a',
  order: newOrder(apiKey, priced, 1_790_000_000),
  saga: aSaga(apiKey),
  delivery: { outcome: null, link: null, noticeInMs: null },
  traceparent: null,
  idempotency: null,
})

const transmitted: Save = {
  ...times,
  order: {
    status: 'AWAITING_PREPARATION',
    outcome: 'transmitted',
    paymentState: 'AUTHORIZED',
    cancellation: null,
    refunds: [],
    dispute: null,
  },
  saga: { ...aSaga(order), version: 1, state: { ...fresh, done: ['transmit'] } },
  delivery: { outcome: 'accepted', link: 'console', noticeInMs: null },
  from: { version: 0, status: 'PROCESSING' },
  status: 'AWAITING_PREPARATION',
}

const dates = { from: 1_700_000_000, to: 1_900_000_000 }
/** Each filter alone, and the pairs that operators use. A backward scan finds delivered and charged orders. */
const searches: OrderFilter[] = [
  {},
  { number: 1 },
  { phone: '608-555-0142' },
  { email: 'Maria@example.org' },
  { restaurant },
  { from: dates.from },
  { to: dates.to },
  { status: 'PREPARING' },
  { status: 'DELIVERED' },
  { paymentState: 'REFUNDED' },
  { paymentState: 'CHARGED' },
  { paymentState: 'DUE' },
  { paymentState: 'AUTHORIZED' },
  { restaurant, status: 'PREPARING' },
  { restaurant, ...dates },
  { phone: '608-555-0142', restaurant },
  { status: 'PREPARING', ...dates },
]

const calls = {
  sagas: {
    place: (db) =>
      postgresStores(db).sagas.place({ ...anOrder(newApiKey()), idempotency: { scope, claimMs: 1_000 } }),
    load: (db) => postgresStores(db).sagas.load(order),
    save: (db) => postgresStores(db).sagas.save(transmitted),
    takeDue: (db) => postgresStores(db).sagas.takeDue(20),
  },
  orders: {
    find: (db) => postgresStores(db).orders.find(order),
    recipientOf: (db) => postgresStores(db).orders.recipientOf(order),
    ofRecipient: (db) => postgresStores(db).orders.ofRecipient(recipient, { before: 1_000_000, limit: 100 }),
    statuses: (db) => postgresStores(db).orders.statuses(order),
    markReturnedIfPending: (db) => postgresStores(db).orders.markReturnedIfPending(order),
    markReturned: (db) => postgresStores(db).orders.markReturned(order),
    markReadIfPending: (db) => postgresStores(db).orders.markReadIfPending(order),
    lockTransmitted: (db) => postgresStores(db).orders.lockTransmitted(order),
    addStatus: (db) => postgresStores(db).orders.addStatus(order, 'PREPARING'),
  },
  deliveries: {
    acquireLeases: (db) => postgresStores(db).deliveries.acquireLeases({ limit: 20, leaseMs: 1 }),
    renewLeases: (db) => postgresStores(db).deliveries.renewLeases([{ orderApiKey: order, attempt: 1 }], 1),
    releaseLease: (db) =>
      postgresStores(db).deliveries.releaseLease({ orderApiKey: order, attempt: 1 }, null),
    takeDueNotices: (db) => postgresStores(db).deliveries.takeDueNotices(20),
    endNotices: (db) => postgresStores(db).deliveries.endNotices(order),
  },
  idempotencyKeys: {
    reclaim: async (db) => {
      const { idempotencyKeys } = postgresStores(db)
      await idempotencyKeys.reclaim(scope, 1_000)
      await idempotencyKeys.markRefused(refusedScope)
      await idempotencyKeys.reclaim(refusedScope, 1_000)
    },
    markRefused: (db) => postgresStores(db).idempotencyKeys.markRefused(scope),
    complete: (db) =>
      postgresStores(db).idempotencyKeys.complete(
        { ...scope, orderApiKey: order },
        { status: 200, body: '{}' },
      ),
    release: (db) => postgresStores(db).idempotencyKeys.release({ ...scope, orderApiKey: order }),
    delete: (db) => postgresStores(db).idempotencyKeys.delete({ ...scope, orderApiKey: order }),
    find: (db) => postgresStores(db).idempotencyKeys.find(scope),
  },
  keyStore: {
    findResponse: (db) => keyStore.findResponse(db, scope),
    claimKey: (db) => db.transaction().execute((trx) => keyStore.claimKey(trx, scope)),
    storeResponse: (db) => db.transaction().execute((trx) => keyStore.storeResponse(trx, scope, '{}')),
    deleteExpiredKeys: (db) => keyStore.deleteExpiredKeys(db),
  },
  restaurantOrders: {
    list: async (db) => {
      for (const open of [true, false])
        for (const before of [null, 1_000_000])
          await postgresStores(db).restaurantOrders.list(restaurant, { open, before, limit: 100 })
    },
    changed: async (db) => {
      for (const since of [null, '700'])
        await postgresStores(db).restaurantOrders.changed(restaurant, {
          since,
          whole: since === null,
          after: 0,
          limit: 100,
        })
    },
    find: (db) => postgresStores(db).restaurantOrders.find(restaurant, order),
    unstarted: (db) => postgresStores(db).restaurantOrders.unstarted({ withinMs: 1_000, limit: 20 }),
  },
  changes: {
    position: (db) => postgresStores(db).changes.position(),
    changedSince: (db) =>
      postgresStores(db).changes.changedSince('700', { orders: [order], restaurants: [restaurant] }),
  },
  orderStories: {
    find: async (db) => {
      for (const by of [{ apiKey: order }, { number: 1 }]) await postgresStores(db).orderStories.find(by)
    },
  },
  orderSearch: {
    find: async (db) => {
      for (const filter of searches)
        for (const before of [null, 1_000_000])
          await postgresStores(db).orderSearch.find(filter, { before, limit: 100 })
    },
  },
  restaurantLinks: {
    put: (db) => postgresStores(db).restaurantLinks.put(restaurant, { kind: 'console', reports: 'detailed' }),
    find: (db) => postgresStores(db).restaurantLinks.find(restaurant),
  },
  reconciliation: {
    readOrders: (db) =>
      postgresStores(db).reconciliation.readOrders({
        after: { at: 0, id: 0 },
        until: 4_000_000_000,
        limit: 100,
      }),
    versionsOf: (db) => postgresStores(db).reconciliation.versionsOf([order]),
    now: (db) => postgresStores(db).reconciliation.now(),
  },
  incidents: {
    countUnfinishedSagas: (db) => postgresStores(db).incidents.countUnfinishedSagas(),
    countDeadLetters: (db) => postgresStores(db).incidents.countDeadLetters(),
    storeDeadLetter: (db) =>
      postgresStores(db).incidents.storeDeadLetter({
        command: 'c',
        orderApiKey: order,
        step: 's',
        content: Buffer.from('x'),
        requestId: 'r',
        reason: 'x',
      }),
    deadLetters: (db) => postgresStores(db).incidents.deadLetters(),
    findDeadLetter: (db) => postgresStores(db).incidents.findDeadLetter('x'),
    discardDeadLetter: (db) => postgresStores(db).incidents.discardDeadLetter('x'),
    deleteDeadLetter: (db) =>
      postgresStores(db).incidents.deleteDeadLetter('x', {
        command: 'c',
        content: Buffer.from('x'),
        requestId: 'r',
        deaths: 1,
      }),
    overdueSagas: (db) => postgresStores(db).incidents.overdueSagas(),
    unstartedOrders: (db) => postgresStores(db).incidents.unstartedOrders(1_000),
    unconfirmedCancellations: (db) => postgresStores(db).incidents.unconfirmedCancellations(),
    failedRefunds: (db) => postgresStores(db).incidents.failedRefunds(),
    makeSagaDue: (db) => postgresStores(db).incidents.makeSagaDue(order),
  },
} satisfies { [Name in keyof Stores]: CallsOf<Stores[Name]> } & { keyStore: CallsOf<typeof keyStore> }

let database: Awaited<ReturnType<typeof openDatabase>>

beforeAll(async () => {
  database = await openDatabase('orders', { joins: 'by key' })
  const { db, pool } = database
  const { sagas } = postgresStores(db)
  await sagas.place(anOrder(order))
  await sagas.save(transmitted)
  await fillOrders(pool, 'public', { orders: ORDERS, restaurants: 100, users: 1_000 })
  await pool.query(`insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
    select 'a-key', '/path', api_key, 'same', api_key, now() from orders on conflict do nothing`)
  await pool.query('analyze idempotency_keys')
})
afterAll(() => database.close())

/** The indexes that a function reads entirely: partial indexes of unfinished sagas, open orders and failed refunds. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'incidents.countUnfinishedSagas': ['sagas_unfinished'],
  'sagas.takeDue': ['sagas_unfinished'],
  'incidents.failedRefunds': ['orders_failed_refunds'],
  // Searches for delivered or charged orders read orders_id_key from the newest order on, until the page is full. Only the next test
  // and finding.stack.test.ts detect another search that does so.
  'orderSearch.find': [
    'orders_id_key',
    'orders_open',
    'orders_ended_before',
    'orders_not_charged',
    'sagas_unfinished',
  ],
}

test.each(namedCalls(calls))(
  '%s does not read the whole of a table that grows with orders',
  async (name, call) => {
    const whole = await database.readsWhole(call, allowed[name])
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)

test.each<[OrderFilter, string[]]>([
  [{ number: 1 }, ['orders_id_key']],
  [{ phone: '608-555-0142' }, ['orders_of_phone']],
  [{ email: 'Maria@example.org' }, ['orders_of_email']],
  [{ restaurant }, ['orders_of_restaurant']],
  [dates, ['orders_by_age', 'orders_id_key']],
  [{ ...dates, paymentState: 'REFUNDED' }, ['orders_ended', 'orders_ended_before']],
  [{ status: 'PREPARING' }, ['orders_ended', 'orders_ended_before', 'orders_open']],
  [{ restaurant, status: 'PREPARING' }, ['orders_after_sale', 'orders_open']],
  [{ paymentState: 'REFUNDED' }, ['orders_ended', 'orders_ended_before']],
  [{ paymentState: 'DUE' }, ['orders_not_charged']],
  [{ paymentState: 'NOT_REQUIRED' }, ['orders_not_required']],
  [{ paymentState: 'AUTHORIZED' }, ['sagas_unfinished']],
])('orders are found by %o with the indexes %s', async (filter, indexes) => {
  const used = await database.findsBy((db) =>
    postgresStores(db).orderSearch.find(filter, { before: null, limit: 100 }),
  )
  expect(used).toEqual(expect.arrayContaining(indexes))
})

test.each(['PENDING', 'AUTHORIZED', 'VOIDED', 'REFUNDED'] as const)(
  'a search for the payment state %s reads no open orders, because those of webhooks without reports accumulate',
  async (paymentState) => {
    const used = await database.findsBy((db) =>
      postgresStores(db).orderSearch.find({ paymentState }, { before: null, limit: 100 }),
    )
    expect(used).not.toContain('orders_open')
  },
)

/** Statements that several orders share. They run most often. */
const shared = [
  'sagas.place',
  'sagas.load',
  'sagas.save',
  'orders.find',
  'restaurantLinks.find',
  'idempotencyKeys.complete',
]

test('a shared statement reads no whole table, also with a plan from a table of one order', async () => {
  const young = await openDatabase('orders', { joins: 'young' })
  try {
    await postgresStores(young.db).sagas.place(anOrder(order))
    const planned = async () => {
      const named = namedCalls(calls).filter(([name]) => shared.includes(name))
      expect(named).toHaveLength(shared.length)
      for (const [name, call] of named.filter(([one]) => one !== 'sagas.place'))
        expect({ name, whole: await young.readsWhole(call) }).toEqual({ name, whole: [] })
    }
    await planned()
    await young.pool.query('analyze')
    await planned()
  } finally {
    await young.close()
  }
})

test('the changed orders of a restaurant are found by the index orders_changed', async () => {
  const moved = { since: '700', whole: false, after: 0, limit: 100 }
  const by = await database.findsBy((db) => postgresStores(db).restaurantOrders.changed(restaurant, moved))
  expect(by).toEqual(['orders_changed', 'deliveries_pkey', 'order_statuses_pkey'])
})

test('unstarted orders are found by their age, because open orders of webhooks without reports accumulate', async () => {
  for (const find of [calls.restaurantOrders.unstarted, calls.incidents.unstartedOrders]) {
    const by = await database.findsBy(find)
    expect(by.toSorted()).toEqual(['deliveries_pkey', 'order_statuses_pkey', 'orders_by_age'])
  }
})

test('the sweeper finds due sagas by the index of unfinished sagas', async () => {
  const by = await database.findsBy((db) => postgresStores(db).sagas.takeDue(20))
  expect(by.toSorted()).toEqual(['orders_pkey', 'sagas_pkey', 'sagas_unfinished'])
})

test('an order writes indexes twice after its placement: when its saga ends, and when it is delivered', async () => {
  const young = await openDatabase('orders', { joins: 'young' })
  const captured: Save = {
    ...transmitted,
    retryInMs: null,
    order: { ...transmitted.order, paymentState: 'CHARGED' },
    saga: { ...transmitted.saga, version: 2, isFinished: true },
    delivery: null,
    from: { version: 1, status: null },
    status: null,
  }
  try {
    // One transaction, because it cannot end in another bucket (migration 0130) than that of its start.
    await young.db.transaction().execute(async (trx) => {
      const { orders, sagas } = postgresStores(trx)
      const indexed = async (table: string) => {
        const { rows } = await sql<{ writes: number }>`
          select (pg_stat_get_xact_tuples_updated(oid) - pg_stat_get_xact_tuples_hot_updated(oid))::int as writes
          from pg_class where oid = to_regclass(${table})`.execute(trx)
        return rows[0]?.writes
      }
      const writes = async () => [await indexed('orders'), await indexed('sagas')]
      await sagas.place(anOrder(order))
      expect(await sagas.save(transmitted)).not.toBeNull()
      expect(await writes()).toEqual([0, 0])
      expect(await sagas.save(captured)).not.toBeNull()
      expect(await writes()).toEqual([0, 1])
      await orders.addStatus(order, 'PREPARING')
      expect(await writes()).toEqual([0, 1])
      await orders.addStatus(order, 'DELIVERED')
      expect(await writes()).toEqual([1, 1])
    })
  } finally {
    await young.close()
  }
})

test('a dropped index causes a read of the whole table', async () => {
  await database.pool.query('drop index orders_of_restaurant')
  expect(await database.readsWhole(calls.restaurantOrders.list)).toContain('orders')
})
