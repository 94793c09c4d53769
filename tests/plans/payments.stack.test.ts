import { cents } from '@platter/contracts'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authorization } from '../../services/payments/src/domain/authorization.ts'
import { createAuthorizations, type Database } from '../../services/payments/src/store/authorizations.ts'
import { createPaymentBooks } from '../../services/payments/src/store/payment-books.ts'
import { createWebhookEvents } from '../../services/payments/src/store/webhook-events.ts'
import { fillAuthorizations } from '../bench/fill.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

type Db = Kysely<Database>

const ROWS = 20_000
const growing = ['authorizations', 'webhook_events']
const order = '0'.repeat(48)
const hold = { amount: cents(1_075), token: 'token' }
const sent: Authorization = {
  orderApiKey: order,
  releaseRequested: false,
  ageSeconds: 0,
  state: 'sent',
  ...hold,
}

const calls = {
  authorizations: {
    find: (db) => createAuthorizations(db).find(order),
    send: (db) => createAuthorizations(db).send(order, hold),
    requestRelease: (db) => createAuthorizations(db).requestRelease('1'.repeat(48)),
    move: (db) => createAuthorizations(db).move(sent, { state: 'authorized', processorId: 'p' }),
    noteUnknown: (db) => createAuthorizations(db).noteUnknown(sent, { call: 'capture', reason: 'timeout' }),
  },
  books: {
    story: (db) => createPaymentBooks(db).story(order),
    rows: (db) => createPaymentBooks(db).rows([order], { from: 1_000, to: 2_000 }),
    references: (db) => createPaymentBooks(db).references([order]),
    unknown: (db) =>
      createPaymentBooks(db).unknown({ olderThanMs: 1, before: { at: 1, id: order }, limit: 100 }),
  },
  events: {
    isKnown: (db) => createWebhookEvents(db).isKnown('x'),
    remember: (db) => createWebhookEvents(db).remember('x'),
  },
} satisfies {
  authorizations: CallsOf<ReturnType<typeof createAuthorizations>, Db>
  books: CallsOf<ReturnType<typeof createPaymentBooks>, Db>
  events: CallsOf<ReturnType<typeof createWebhookEvents>, Db>
}

let database: Awaited<ReturnType<typeof openDatabase<Database>>>

beforeAll(async () => {
  database = await openDatabase<Database>('payments', { joins: 'by key' })
  const { db, pool } = database
  const authorizations = createAuthorizations(db)
  const first = await authorizations.send(order, hold)
  await authorizations.move(first, { state: 'captured', processorId: 'p' })
  await pool.query(`insert into webhook_events select 'event' || n from generate_series(1, ${ROWS}) as n`)
  await fillAuthorizations(pool, 'public', ROWS)
})
afterAll(() => database.close())

test.each(namedCalls<Db>(calls))(
  '%s reads no table from one end to the other that grows with orders',
  async (_, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
