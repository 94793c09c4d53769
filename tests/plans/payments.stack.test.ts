import { cents } from '@platter/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authorization } from '../../services/payments/src/domain/authorization.ts'
import {
  postgresAuthorizations,
  type AuthorizationStore,
} from '../../services/payments/src/store/authorizations.ts'
import {
  postgresChargeMirrors,
  type ChargeMirrorStore,
} from '../../services/payments/src/store/charge-mirrors.ts'
import {
  postgresPaymentRecords,
  type PaymentRecordStore,
} from '../../services/payments/src/store/payment-records.ts'
import { postgresRefunds, type RefundStore } from '../../services/payments/src/store/refunds.ts'
import {
  postgresWebhookEvents,
  type WebhookEventStore,
} from '../../services/payments/src/store/webhook-events.ts'
import { fillAuthorizations } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

const ROWS = 6_000
const growing = ['authorizations', 'refunds', 'charge_mirrors', 'webhook_events']
const order = '0'.repeat(48)
const terms = { amount: cents(1_075), token: 'token' }
const sent: Authorization = {
  orderApiKey: order,
  releaseRequested: false,
  ageSeconds: 0,
  state: 'sent',
  ...terms,
}

const calls = {
  authorizations: {
    find: (db) => postgresAuthorizations(db).find(order),
    findOrCreate: (db) => postgresAuthorizations(db).findOrCreate(order, terms),
    requestRelease: (db) => postgresAuthorizations(db).requestRelease('1'.repeat(48)),
    move: (db) => postgresAuthorizations(db).move(sent, { state: 'authorized', processorId: 'p' }),
    recordUnknown: (db) =>
      postgresAuthorizations(db).recordUnknown({ row: sent, call: 'capture', reason: 'timeout' }),
  },
  records: {
    story: (db) => postgresPaymentRecords(db).story(order),
    rows: (db) => postgresPaymentRecords(db).rows([order], { from: 1_000, to: 2_000 }),
    references: (db) => postgresPaymentRecords(db).references([order]),
    unknown: (db) => postgresPaymentRecords(db).unknown(1),
  },
  mirrors: {
    now: (db) => postgresChargeMirrors(db).now(),
    find: (db) => postgresChargeMirrors(db).find(order),
    set: (db) =>
      postgresChargeMirrors(db).set(
        { orderApiKey: order, processorId: 'p', refunds: [], disputes: [] },
        '2026-01-01T00:00:00Z',
      ),
    unconfirmed: (db) => postgresChargeMirrors(db).unconfirmed(50),
    confirm: (db) => postgresChargeMirrors(db).confirm(order, 1),
    unfinished: (db) => postgresChargeMirrors(db).unfinished(100),
    ordersOf: (db) => postgresChargeMirrors(db).ordersOf(['p']),
    openDisputes: (db) => postgresChargeMirrors(db).openDisputes(),
    missingRefunds: (db) => postgresChargeMirrors(db).missingRefunds(),
    acquire: (db) => postgresChargeMirrors(db).acquire(1),
    renew: (db) => postgresChargeMirrors(db).renew(1),
    release: (db) => postgresChargeMirrors(db).release(1_000),
  },
  refunds: {
    find: (db) => postgresRefunds(db).find('refund'),
    known: (db) => postgresRefunds(db).known(['refund']),
    sent: (db) => postgresRefunds(db).sent(order),
    reserve: (db) => postgresRefunds(db).reserve({ apiKey: 'refund', orderApiKey: order, amount: cents(1) }),
    mark: (db) => postgresRefunds(db).mark('refund', 'done', 'p'),
    markFailed: (db) => postgresRefunds(db).markFailed('refund', 'c'),
    markReturned: (db) => postgresRefunds(db).markReturned(['refund']),
    markWhollyRefunded: (db) => postgresRefunds(db).markWhollyRefunded(order),
  },
  events: {
    recordHandled: (db) => postgresWebhookEvents(db).recordHandled(),
    lastHandled: (db) => postgresWebhookEvents(db).lastHandled(),
  },
} satisfies {
  authorizations: CallsOf<AuthorizationStore>
  records: CallsOf<PaymentRecordStore>
  mirrors: CallsOf<ChargeMirrorStore>
  refunds: CallsOf<RefundStore>
  events: CallsOf<WebhookEventStore>
}

let database: Awaited<ReturnType<typeof openDatabase>>

beforeAll(async () => {
  database = await openDatabase('payments', { joins: 'by key' })
  const { db, pool } = database
  const authorizations = postgresAuthorizations(db)
  const first = await authorizations.findOrCreate(order, terms)
  await authorizations.move(first, { state: 'captured', processorId: 'p' })
  await pool.query(`insert into webhook_events select 'event' || n from generate_series(1, ${ROWS}) as n`)
  await fillAuthorizations(pool, 'public', ROWS)
  await pool.query(`
    insert into refunds (api_key, order_api_key, amount, state)
      select 'refund-' || order_api_key, order_api_key, 1, 'done' from authorizations;
    insert into charge_mirrors (order_api_key, processor_id, refunds, disputes, read_at, confirmed_version)
      select order_api_key, processor_id, '[]', '[]', now(), 1 from authorizations;
    analyze`)
})
afterAll(() => database.close())

/** The indexes that a function reads entirely: partial indexes of mirrors that orders has not confirmed, and of open disputes. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'mirrors.unconfirmed': ['charge_mirrors_unconfirmed'],
  'mirrors.openDisputes': ['charge_mirrors_disputed'],
}

test.each(namedCalls(calls))(
  '%s does not read the whole of a table that grows with orders',
  async (name, call) => {
    const whole = await database.readsWhole(call, allowed[name])
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
