import { OrderStatus, PaymentState } from '@platter/contracts'
import { createLog, newApiKey } from '@platter/kit'
import { buildIndexes } from '@platter/kit/postgres/concurrent-indexes'
import { migratedDatabase } from '@platter/testkit'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { ordersIndexes } from '#/store/indexes.ts'
import { PostgresOrderSearch, type OrderFilter } from '#/store/order-search.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const log = createLog('test', 'fatal')
const BEGIN = 1_790_000_000
const NEWEST = { before: null, limit: 200 }
const { db, url } = await migratedDatabase('orders', 4, { joins: 'by key' })
const search = new PostgresOrderSearch(db)

type Row = {
  id: number
  at: number
  restaurant: string
  phone: string
  email: string | null
  payment: string
  test: boolean
  total: number
  status: OrderStatus
  payment_state: PaymentState
  outcome: string
  told: boolean
  cancelled: boolean
  refunded: boolean
}

const recipient = { firstName: 'Maria', lastName: 'Lindqvist' }

/** Inserts orders without the orchestrator: finished ones, and pending or authorized ones with an open saga. */
async function store(rows: readonly (Omit<Row, 'id'> & { open: boolean })[]): Promise<Row[]> {
  const stored: Row[] = []
  for (const { open, ...row } of rows) {
    const apiKey = newApiKey()
    const details = {
      ...pricedOrder().details,
      recipient: { ...recipient, phone: row.phone, email: row.email },
    }
    const { rows: ids } = await sql<{ id: number }>`
      insert into orders (api_key, application_id, restaurant_api_key, placed_at, method, payment, test, total, status,
        payment_state, outcome, told, details, cancellation, refunds, is_open)
      values (${apiKey}, 'a', ${row.restaurant}, to_timestamp(${row.at}), 'pickup', ${row.payment}, ${row.test}, ${row.total},
        ${row.status}, ${row.payment_state}, ${row.outcome}, ${row.told}, ${JSON.stringify(details)},
        ${row.cancelled ? '{}' : null}, ${row.refunded ? '[]' : null}, ${open}) returning id`.execute(db)
    // Only a change copies the states (migration 0220). Half of the rows get one; the others are as before 0220.
    if (stored.length % 2 === 0)
      for (const state of ['', row.payment_state])
        await sql`update orders set payment_state = ${state} where api_key = ${apiKey}`.execute(db)
    if (['PENDING', 'AUTHORIZED'].includes(row.payment_state))
      await sql`insert into sagas (order_api_key, facts, state, request_id, wake_at, deadline_at)
        values (${apiKey}, '{}', '{}', 'r', now(), now())`.execute(db)
    stored.push({ ...row, id: ids[0]?.id ?? 0 })
  }
  return stored
}

const found = async (filter: OrderFilter) => (await search.find(filter, NEWEST)).orders.map(({ id }) => id)

beforeAll(async () => {
  await buildIndexes({ url, indexes: await ordersIndexes(), log, signal: new AbortController().signal })
})

const plain = {
  at: BEGIN,
  restaurant: 'r1',
  email: null,
  phone: '608-555-0142',
  payment: 'card',
  test: false,
  total: 100,
  status: 'DELIVERED',
  payment_state: 'CHARGED',
  outcome: 'transmitted',
  told: true,
  cancelled: false,
  refunded: false,
  open: false,
} as const

test.each([
  ['608-555-0142', ['6085550142', '(608) 555-0142', '+1 608.555.0142', '1 608 555 0142', '001-608-555-0142']],
  ['+1 (608) 555-0143 ext. 12', ['608-555-0143', '16085550143 x7']],
  ['+44 (0)20 7946 0018', ['020 7946 0018', '+44 20 7946 0018', '0044 20 79460018']],
  ['044 668 18 00', ['+41 44 668 18 00', '0041446681800']],
  ['555 01 44', ['608-555-0144', '5550144']],
])('finds the telephone number %s in other spellings', async (stored, spellings) => {
  const [row] = await store([{ ...plain, phone: stored }])
  const all = [stored, ...spellings]
  const results = await Promise.all(all.map(async (phone) => [phone, await found({ phone })]))
  expect(results).toEqual(all.map((phone) => [phone, [row?.id]]))
})

test('finds no order by another area code, another number, or only the last digits', async () => {
  await store([{ ...plain, phone: '608-555-0199' }])
  const others = ['414-555-0199', '608-555-0198', '5550198', '0199', '9']
  expect(await Promise.all(others.map((phone) => found({ phone })))).toEqual(others.map(() => []))
})

/** The combinations that the saga produces: see the parts in order-search.ts. */
const order = fc
  .record({
    restaurant: fc.constantFrom('one', 'other'),
    minutes: fc.nat(600),
    guest: fc.nat(3),
    payment: fc.constantFrom('card', 'cash'),
    test: fc.boolean(),
    total: fc.constantFrom(0, 100),
    status: fc.constantFrom(...OrderStatus.options),
    outcome: fc.constantFrom('pending', 'transmitted', 'failed'),
    state: fc.constantFrom(...PaymentState.options),
    told: fc.boolean(),
    cancelled: fc.boolean(),
    refunded: fc.boolean(),
  })
  .map(({ guest, state, ...given }) => {
    const cancelled = given.cancelled || state === 'VOIDED' || (given.outcome === 'failed' && given.told)
    return {
      ...given,
      cancelled,
      refunded: given.refunded || (state === 'REFUNDED' && !cancelled),
      payment_state: paymentStateOf(given, state),
      open: given.status !== 'DELIVERED' && !cancelled && given.outcome !== 'failed',
      phone: `608-555-020${guest}`,
      email: guest === 0 ? null : `Guest${guest}@example.org`,
    }
  })

type Paid = Pick<Row, 'payment' | 'test' | 'total'>

function paymentStateOf({ payment, test: isTest, total }: Paid, state: PaymentState): PaymentState {
  if (isTest || total === 0) return 'NOT_REQUIRED'
  if (payment === 'cash') return 'DUE'
  return state === 'DUE' || state === 'NOT_REQUIRED' ? 'CHARGED' : state
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const digits = (text: string | undefined) => text?.replaceAll(/\D/g, '').slice(-10)

const matches = (row: Row, given: OrderFilter): boolean => {
  const isShown = row.outcome !== 'failed' || row.told
  const expected: [unknown, boolean][] = [
    [given.number, given.number === row.id],
    [given.phone, digits(given.phone) === digits(row.phone)],
    [given.email, given.email?.toLowerCase() === row.email?.toLowerCase()],
    [given.restaurant, given.restaurant === row.restaurant],
    [given.from, row.at >= (given.from ?? 0)],
    [given.to, row.at < (given.to ?? 0)],
    [given.status, given.status === row.status && isShown],
    [given.paymentState, given.paymentState === row.payment_state && isShown],
  ]
  return expected.every(([value, isMatch]) => value === undefined || isMatch)
}

test('finds exactly the orders that an independent search finds, for any filter and page', async () => {
  const drawn = fc
    .sample(order, { numRuns: 300, seed: 4711 })
    .toSorted((one, other) => one.minutes - other.minutes)
  const rows = await store(
    drawn.map(({ minutes, ...row }) => ({ ...row, at: BEGIN + 86_400 + minutes * 60 })),
  )
  const first = rows[0]?.id ?? 0
  const filter = fc.record({
    number: fc.option(fc.integer({ min: first, max: first + 300 }), { nil: undefined, freq: 1 }),
    phone: optional(fc.constantFrom('6085550200', '+1 608 555 0201')),
    email: optional(fc.constantFrom('guest1@EXAMPLE.org', 'guest2@example.org')),
    restaurant: fc.constantFrom('one', 'other'),
    from: optional(fc.nat(600).map((minutes) => BEGIN + 86_400 + minutes * 60)),
    to: optional(fc.nat(600).map((minutes) => BEGIN + 86_400 + minutes * 60)),
    status: optional(fc.constantFrom(...OrderStatus.options)),
    paymentState: optional(fc.constantFrom(...PaymentState.options)),
  })
  const newestFirst = rows.toReversed()
  await fc.assert(
    fc.asyncProperty(filter, fc.integer({ min: 1, max: 200 }), async (given, limit) => {
      const expected = newestFirst.filter((row) => matches(row, given)).map(({ id }) => id)
      const page = await search.find(given, { before: null, limit })
      const ids = page.orders.map(({ id }) => id)
      expect(ids).toEqual(expected.slice(0, limit))
      expect(page.hasMore).toBe(expected.length > limit)
      const next = await search.find(given, { before: ids.at(-1) ?? null, limit })
      const following = next.orders.map(({ id }) => id)
      expect(page.hasMore ? following : []).toEqual(expected.slice(limit, 2 * limit))
    }),
    { numRuns: 300 },
  )
})
