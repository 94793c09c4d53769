import { cents } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import * as kept from '@platter/kit/idempotency/key-store'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as attention from '../../services/orders/src/store/attention.ts'
import * as books from '../../services/orders/src/store/books.ts'
import * as changes from '../../services/orders/src/store/changes.ts'
import * as deliveries from '../../services/orders/src/store/deliveries.ts'
import * as keys from '../../services/orders/src/store/idempotency-keys.ts'
import * as stories from '../../services/orders/src/store/order-story.ts'
import * as orders from '../../services/orders/src/store/orders.ts'
import * as links from '../../services/orders/src/store/restaurant-links.ts'
import * as restaurants from '../../services/orders/src/store/restaurant-orders.ts'
import * as counts from '../../services/orders/src/store/saga-counts.ts'
import * as sagas from '../../services/orders/src/store/sagas.ts'
import type { Db, Tables } from '../../services/orders/src/store/tables.ts'
import { fillOrders } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

/** Enough that reading them all is dearer than an index, few enough to be there in seconds. */
const ORDERS = 20_000
/** They grow with every order, or did. The others have a row a restaurant, or one for what needs a person. */
const growing = ['orders', 'order_statuses', 'sagas', 'deliveries', 'idempotency_keys']

const order = newApiKey()
const restaurant = newApiKey()
const someone = newApiKey()
const scope = { accessKeyId: 'a', path: '/publicapi/v1/send-order', key: 'k', fingerprint: 'f' }
const facts = { total: cents(1_075), token: 't', userApiKey: null, newCard: null, newAddress: null }
const state = { done: [], undone: [], refusal: null }
const page = { before: { at: 1_790_000_000_000_000, id: 'x' }, limit: 100 }

const times = { wakeInMs: 1_000, deadlineInMs: 1_000, leaseMs: 1_000, deliverWithinMs: 1_000 }
const aSaga = (orderApiKey: string) => ({
  orderApiKey,
  version: 0,
  attempt: 1,
  facts,
  state,
  isFinished: false,
})

const anOrder = (apiKey: string): sagas.Acceptance => ({
  ...times,
  applicationId: 'a',
  priced: {
    method: 'pickup',
    payment: 'card',
    test: false,
    restaurantApiKey: restaurant,
    recipientApiKey: someone,
    total: cents(1_075),
    details: { items: [], card: null } as never,
  },
  order: { status: 'PROCESSING', outcome: 'pending', paymentState: 'PENDING', cancellation: null },
  saga: aSaga(apiKey),
  delivery: { outcome: null, link: null, isNoticeDue: false },
  requestId: 'r',
  traceparent: null,
  idempotency: null,
})

const transmitted: sagas.Save = {
  ...times,
  order: {
    status: 'AWAITING_PREPARATION',
    outcome: 'transmitted',
    paymentState: 'AUTHORIZED',
    cancellation: null,
  },
  saga: { ...aSaga(order), version: 1, state: { ...state, done: ['transmit'] } },
  delivery: { outcome: 'accepted', link: 'console', isNoticeDue: false },
  from: { version: 0, status: 'PROCESSING' },
  status: 'AWAITING_PREPARATION',
}

const calls = {
  sagas: {
    accept: (db) => sagas.accept(db, { ...anOrder(newApiKey()), idempotency: { scope, busyMs: 1_000 } }),
    load: (db) => sagas.load(db, order),
    save: (db) => sagas.save(db, transmitted),
    takeDue: (db) => sagas.takeDue(db, 20),
  },
  orders: {
    find: (db) => orders.find(db, order),
    recipientOf: (db) => orders.recipientOf(db, order),
    exists: (db) => orders.exists(db, order),
    ofRecipient: (db) => orders.ofRecipient(db, someone, { before: 1_000_000, limit: 100 }),
    statuses: (db) => orders.statuses(db, order),
    standing: (db) => orders.standing(db, order),
    tell: (db) => orders.tell(db, order),
    markAnswered: (db) => orders.markAnswered(db, order),
    show: (db) => orders.show(db, order),
    lockTransmitted: (db) => orders.lockTransmitted(db, order),
    addStatus: (db) => orders.addStatus(db, order, 'PREPARING'),
  },
  deliveries: {
    acquireLeases: (db) => deliveries.acquireLeases(db, { limit: 20, leaseMs: 1 }),
    renewLeases: (db) => deliveries.renewLeases(db, [{ orderApiKey: order, attempt: 1 }], 1),
    releaseLease: (db) => deliveries.releaseLease(db, { orderApiKey: order, attempt: 1 }, null),
    takeDueNotices: (db) => deliveries.takeDueNotices(db, 20),
    endNotices: (db) => deliveries.endNotices(db, order),
  },
  keys: {
    use: (db) => keys.use(db, scope, 1_000),
    keep: (db) => keys.keep(db, { ...scope, orderApiKey: order }, { status: 200, body: '{}' }),
    letGo: (db) => keys.letGo(db, { ...scope, orderApiKey: order }),
    forget: (db) => keys.forget(db, { ...scope, orderApiKey: order }),
    find: (db) => keys.find(db, scope),
  },
  kept: {
    findResponse: (db) => kept.findResponse(db, scope),
    claimKey: (db) => db.transaction().execute((trx) => kept.claimKey(trx, scope)),
    storeResponse: (db) => db.transaction().execute((trx) => kept.storeResponse(trx, scope, '{}')),
    deleteExpiredKeys: (db) => kept.deleteExpiredKeys(db),
  },
  restaurants: {
    list: async (db) => {
      for (const open of [true, false])
        for (const before of [null, 1_000_000])
          await restaurants.list(db, restaurant, { open, before, limit: 100 })
    },
    changed: async (db) => {
      for (const since of [null, '700'])
        await restaurants.changed(db, restaurant, { since, whole: since === null, after: 0, limit: 100 })
    },
    find: (db) => restaurants.find(db, restaurant, order),
    givenUp: (db) => restaurants.givenUp(db, order),
    unaccepted: (db) => restaurants.unaccepted(db, { withinMs: 1_000, limit: 20 }),
  },
  changes: {
    position: (db) => changes.position(db),
    movedSince: (db) => changes.movedSince(db, '700', { orders: [order], restaurants: [restaurant] }),
    restaurantsOf: (db) => changes.restaurantsOf(db, [order]),
  },
  stories: {
    find: async (db) => {
      for (const by of [{ apiKey: order }, { number: 1 }]) await stories.find(db, by)
    },
  },
  links: {
    put: (db) => links.put(db, restaurant, { kind: 'console', reports: 'detailed' }),
    find: (db) => links.find(db, restaurant),
  },
  books: {
    page: (db) => books.page(db, { after: { at: 0, id: 0 }, until: 4_000_000_000, limit: 100 }),
    progress: (db) => books.progress(db, [order]),
    now: (db) => books.now(db),
  },
  counts: {
    inFlight: (db) => counts.inFlight(db),
    deadLetters: (db) => counts.deadLetters(db),
  },
  attention: {
    keepDeadLetter: (db) =>
      attention.keepDeadLetter(db, {
        command: 'c',
        orderApiKey: order,
        step: 's',
        content: Buffer.from('x'),
        requestId: 'r',
        reason: 'x',
      }),
    deadLetters: (db) => attention.deadLetters(db, page),
    findDeadLetter: (db) => attention.findDeadLetter(db, 'x'),
    forgetDeadLetter: (db) =>
      attention.forgetDeadLetter(db, 'x', {
        command: 'c',
        content: Buffer.from('x'),
        requestId: 'r',
        deaths: 1,
      }),
    overdueSagas: (db) => attention.overdueSagas(db, page),
    unacceptedOrders: (db) => attention.unacceptedOrders(db, page, 1_000),
    isUnaccepted: (db) => attention.isUnaccepted(db, order, 1_000),
    wakeSaga: (db) => attention.wakeSaga(db, order),
  },
} satisfies {
  sagas: CallsOf<typeof sagas, Db>
  orders: CallsOf<typeof orders, Db>
  deliveries: CallsOf<typeof deliveries, Db>
  keys: CallsOf<typeof keys, Db>
  kept: CallsOf<typeof kept, Db>
  restaurants: CallsOf<typeof restaurants, Db>
  changes: CallsOf<typeof changes, Db>
  stories: CallsOf<typeof stories, Db>
  links: CallsOf<typeof links, Db>
  books: CallsOf<typeof books, Db>
  counts: CallsOf<typeof counts, Db>
  attention: CallsOf<typeof attention, Db>
}

let database: Awaited<ReturnType<typeof openDatabase<Tables>>>

beforeAll(async () => {
  database = await openDatabase<Tables>('orders', { joins: 'by key' })
  const { db, pool } = database
  await sagas.accept(db, anOrder(order))
  await sagas.save(db, transmitted)
  await fillOrders(pool, 'public', { orders: ORDERS, restaurants: 100, users: 1_000 })
  await pool.query(`insert into idempotency_keys (access_key_id, path, key, fingerprint, order_api_key, busy_until)
    select 'a-key', '/path', api_key, 'same', api_key, now() from orders on conflict do nothing`)
  await pool.query('analyze idempotency_keys')
})
afterAll(() => database.close())

/** What is to be found is all that an index of a part has: unfinished sagas, orders that are still to be made. */
const may: Readonly<Record<string, readonly string[]>> = {
  'counts.inFlight': ['sagas'],
  'sagas.takeDue': ['sagas'],
  'attention.unacceptedOrders': ['orders'],
  'attention.isUnaccepted': ['orders'],
  'restaurants.unaccepted': ['orders'],
}

test.each(namedCalls<Db>(calls))(
  '%s reads no table from one end to the other that grows with orders',
  async (name, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table) && !may[name]?.includes(table))).toEqual([])
  },
)

/** What orders share, and so what runs most. */
const shared = [
  'sagas.accept',
  'sagas.load',
  'sagas.save',
  'orders.find',
  'orders.standing',
  'links.find',
  'keys.keep',
]

test('a statement that orders share never reads a table whole, also when it was planned while there was one order', async () => {
  const young = await openDatabase<Tables>('orders', { joins: 'young' })
  try {
    await sagas.accept(young.db, anOrder(order))
    const planned = async () => {
      const named = namedCalls<Db>(calls).filter(([name]) => shared.includes(name))
      expect(named).toHaveLength(shared.length)
      for (const [name, call] of named.filter(([one]) => one !== 'sagas.accept'))
        expect({ name, whole: await young.readsWhole(call) }).toEqual({ name, whole: [] })
    }
    await planned()
    await young.pool.query('analyze')
    await planned()
  } finally {
    await young.close()
  }
})

test('what has changed of a restaurant is found by when it changed, and not by going through all of its orders', async () => {
  const moved = { since: '700', whole: false, after: 0, limit: 100 }
  const by = await database.findsBy((db) => restaurants.changed(db, restaurant, moved))
  expect(by).toEqual(['orders_changed', 'deliveries_pkey'])
})

test('the sweeper finds due sagas by the index of unfinished ones', async () => {
  const by = await database.findsBy((db) => sagas.takeDue(db, 20))
  expect(by.toSorted()).toEqual(['orders_pkey', 'sagas_pkey', 'sagas_unfinished'])
})

test('an order writes indexes twice after its acceptance: when its saga ends, and when it is delivered', async () => {
  const young = await openDatabase<Tables>('orders', { joins: 'young' })
  const captured: sagas.Save = {
    ...transmitted,
    wakeInMs: null,
    order: { ...transmitted.order, paymentState: 'CHARGED' },
    saga: { ...transmitted.saga, version: 2, isFinished: true },
    delivery: null,
    from: { version: 1, status: null },
    status: null,
  }
  try {
    // One transaction: it cannot end in another bucket (migration 0130) than it began in.
    await young.db.transaction().execute(async (trx) => {
      const indexed = async (table: string) => {
        const { rows } = await sql<{ writes: number }>`
          select pg_stat_get_xact_tuples_updated(oid) - pg_stat_get_xact_tuples_hot_updated(oid) as writes
          from pg_class where oid = to_regclass(${table})`.execute(trx)
        return rows[0]?.writes
      }
      const writes = async () => [await indexed('orders'), await indexed('sagas')]
      await sagas.accept(trx, anOrder(order))
      expect(await sagas.save(trx, transmitted)).not.toBeNull()
      expect(await writes()).toEqual([0, 0])
      expect(await sagas.save(trx, captured)).not.toBeNull()
      expect(await writes()).toEqual([0, 1])
      await orders.addStatus(trx, order, 'PREPARING')
      expect(await writes()).toEqual([0, 1])
      await orders.addStatus(trx, order, 'DELIVERED')
      expect(await writes()).toEqual([1, 1])
    })
  } finally {
    await young.close()
  }
})

test('an index that is not there is missed', async () => {
  await database.pool.query('drop index orders_of_restaurant')
  expect(await database.readsWhole(calls.restaurants.list)).toContain('orders')
})
