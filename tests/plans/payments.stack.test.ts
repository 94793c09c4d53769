import { cents } from '@platter/contracts'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authorization } from '../../services/payments/src/domain/authorization.ts'
import {
  postgresAuthorizations,
  type AuthorizationStore,
  type Database,
} from '../../services/payments/src/store/authorizations.ts'
import {
  postgresPaymentRecords,
  type PaymentRecordStore,
} from '../../services/payments/src/store/payment-records.ts'
import {
  postgresWebhookEvents,
  type WebhookEventStore,
} from '../../services/payments/src/store/webhook-events.ts'
import { fillAuthorizations } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

type Db = Kysely<Database>

const ROWS = 20_000
const growing = ['authorizations', 'webhook_events']
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
    unknown: (db) =>
      postgresPaymentRecords(db).unknown({ olderThanMs: 1, before: { at: 1, id: order }, limit: 100 }),
  },
  events: {
    recordHandled: (db) => postgresWebhookEvents(db).recordHandled(),
    lastHandled: (db) => postgresWebhookEvents(db).lastHandled(),
  },
} satisfies {
  authorizations: CallsOf<AuthorizationStore, Db>
  records: CallsOf<PaymentRecordStore, Db>
  events: CallsOf<WebhookEventStore, Db>
}

let database: Awaited<ReturnType<typeof openDatabase<Database>>>

beforeAll(async () => {
  database = await openDatabase<Database>('payments', { joins: 'by key' })
  const { db, pool } = database
  const authorizations = postgresAuthorizations(db)
  const first = await authorizations.findOrCreate(order, terms)
  await authorizations.move(first, { state: 'captured', processorId: 'p' })
  await pool.query(`insert into webhook_events select 'event' || n from generate_series(1, ${ROWS}) as n`)
  await fillAuthorizations(pool, 'public', ROWS)
})
afterAll(() => database.close())

test.each(namedCalls<Db>(calls))(
  '%s does not read the whole of a table that grows with orders',
  async (_, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
