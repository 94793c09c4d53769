import { cents, type Cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { migratedDatabase } from '@platter/testkit'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { refundedOf } from '#/domain/authorization.ts'
import { postgresAuthorizations } from '#/store/authorizations.ts'
import { postgresRefunds, type RefundStore } from '#/store/refunds.ts'

const log = createLog('test', 'silent')
const postgres = await migratedDatabase('payments', 5)
/** A pool of connections for each replica. */
const pools = [postgres, connectPostgres(postgres.url, 5, log)] as const
const stores = [postgresRefunds(pools[0].db), postgresRefunds(pools[1].db)] as const
afterAll(() => pools[1].close())

let orders = 0

/** Returns the name of a new order with a captured charge. */
async function captured(amount = 1_000): Promise<string> {
  const orderApiKey = `o${++orders}`
  await sql`insert into authorizations (order_api_key, state, amount, token, processor_id)
    values (${orderApiKey}, 'captured', ${amount}::integer, 't', 'pi_1')`.execute(pools[0].db)
  return orderApiKey
}

const storeAt = (at: number): RefundStore => stores[at % 2 === 0 ? 0 : 1]
const authorizationOf = (orderApiKey: string) => postgresAuthorizations(pools[1].db).find(orderApiKey)

/** Returns the number of statements in this database that wait for a lock. */
async function countLockWaits(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(pools[0].db)
  return rows[0]!.waiting
}

async function reservedOf(orderApiKey: string): Promise<Cents> {
  const row = await authorizationOf(orderApiKey)
  return row ? refundedOf(row) : cents(0)
}

test('20 equal commands on two replicas reserve one refund, and all of them receive its row', async () => {
  const orderApiKey = await captured()
  const refund = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(600) }
  const rows = await Promise.all(Array.from({ length: 20 }, (_, at) => storeAt(at).reserve(refund)))
  for (const row of rows) expect(row).toMatchObject({ ...refund, state: 'sent', failureCode: null })
  expect(await reservedOf(orderApiKey)).toBe(600)
  expect(await stores[0].sent(orderApiKey)).toHaveLength(1)
})

test('parallel refunds reserve at most the captured amount, and refuse no refund that fits', async () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 2, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(amounts, fc.integer({ min: 500, max: 1_500 }), async (wanted, total) => {
      const orderApiKey = await captured(total)
      const rows = await Promise.all(
        wanted.map((amount, at) =>
          storeAt(at).reserve({ apiKey: `${orderApiKey}-${at}`, orderApiKey, amount: cents(amount) }),
        ),
      )
      const reserved = rows
        .filter(({ state }) => state === 'sent')
        .reduce((sum, { amount }) => sum + amount, 0)
      expect(await reservedOf(orderApiKey)).toBe(reserved)
      expect(reserved).toBeLessThanOrEqual(total)
      // Reserved amounts only grow here, so a failed refund does not fit even at the end.
      const smallest = Math.min(...rows.flatMap(({ state, amount }) => (state === 'failed' ? [amount] : [])))
      expect(reserved + smallest).toBeGreaterThan(total)
    }),
    { numRuns: 60 },
  )
})

test('a refund above the remaining amount stays failed, also when the amount is free later', async () => {
  const orderApiKey = await captured()
  const first = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(600) }
  const second = { apiKey: `${orderApiKey}-f2`, orderApiKey, amount: cents(500) }
  await stores[0].reserve(first)
  const refused = { ...second, state: 'failed', failureCode: 'too_large' }
  expect(await stores[1].reserve(second)).toMatchObject(refused)
  await stores[0].markFailed(first.apiKey, 'refund_failed')
  expect(await stores[1].reserve(second)).toMatchObject(refused)
  expect(await reservedOf(orderApiKey)).toBe(0)
})

test('a failed refund frees its amount once, and a final state is never overwritten', async () => {
  const orderApiKey = await captured()
  const one = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(400) }
  const other = { apiKey: `${orderApiKey}-f2`, orderApiKey, amount: cents(600) }
  await Promise.all([stores[0].reserve(one), stores[1].reserve(other)])
  await Promise.all(
    Array.from({ length: 10 }, (_, at) => storeAt(at).markFailed(one.apiKey, 'refund_failed')),
  )
  expect(await reservedOf(orderApiKey)).toBe(600)
  await stores[0].mark(one.apiKey, 'done', 're_1')
  await stores[0].mark(one.apiKey, 'pending', 're_1')
  expect(await stores[1].find(one.apiKey)).toMatchObject({
    state: 'failed',
    failureCode: 'refund_failed',
    processorId: null,
  })
  await stores[0].mark(other.apiKey, 'done', 're_2')
  await stores[1].markFailed(other.apiKey, 'refund_failed')
  expect(await stores[1].find(other.apiKey)).toMatchObject({ state: 'done', processorId: 're_2' })
  expect(await reservedOf(orderApiKey)).toBe(600)
})

test('reserve, markFailed and markReturned of one refund do not deadlock', async () => {
  const orderApiKey = await captured()
  const one = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(400) }
  await stores[0].reserve(one)
  const later: Promise<unknown>[] = []
  /** Starts a statement that has to wait for the authorization, and returns once it waits. */
  const startWaiting = async (statement: () => Promise<unknown>) => {
    later.push(statement())
    await expect.poll(countLockWaits).toBe(later.length)
  }
  await pools[0].db.transaction().execute(async (transaction) => {
    await sql`select from authorizations where order_api_key = ${orderApiKey} for update`.execute(transaction)
    await startWaiting(() => stores[0].reserve(one))
    await startWaiting(() => stores[1].markFailed(one.apiKey, 'refund_failed'))
    await startWaiting(() => stores[0].markReturned([one.apiKey]))
  })
  await Promise.all(later)
  expect(await stores[0].find(one.apiKey)).toMatchObject({ state: 'failed' })
  expect(await reservedOf(orderApiKey)).toBe(0)
})

test('a refund that fails after it was done frees its amount; the state returns to captured', async () => {
  const orderApiKey = await captured()
  const one = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(1_000) }
  await stores[0].reserve(one)
  await stores[0].mark(one.apiKey, 'done', 're_1')
  await stores[0].markWhollyRefunded(orderApiKey)
  expect(await authorizationOf(orderApiKey)).toMatchObject({ state: 'refunded' })
  await Promise.all(Array.from({ length: 10 }, (_, at) => storeAt(at).markReturned([one.apiKey])))
  expect(await stores[0].find(one.apiKey)).toMatchObject({ state: 'failed', failureCode: 'refund_failed' })
  expect(await authorizationOf(orderApiKey)).toMatchObject({ state: 'captured' })
  expect(await reservedOf(orderApiKey)).toBe(0)
})

test('markWhollyRefunded marks an order as refunded when its refunds are done and sum to the charge', async () => {
  const orderApiKey = await captured()
  const refunds = [400, 600].map((amount) => ({
    apiKey: `${orderApiKey}-${amount}`,
    orderApiKey,
    amount: cents(amount),
  }))
  for (const refund of refunds) {
    await stores[0].markWhollyRefunded(orderApiKey)
    expect(await authorizationOf(orderApiKey)).toMatchObject({ state: 'captured' })
    await stores[0].reserve(refund)
  }
  for (const { apiKey } of refunds) {
    await stores[0].markWhollyRefunded(orderApiKey)
    expect(await authorizationOf(orderApiKey)).toMatchObject({ state: 'captured' })
    await stores[0].mark(apiKey, 'done', 're_1')
  }
  await stores[0].markWhollyRefunded(orderApiKey)
  expect(await authorizationOf(orderApiKey)).toMatchObject({ state: 'refunded', refunded: 1_000 })
})

test('a release counts each concurrent refund that begins, and a later refund fails', async () => {
  for (let round = 0; round < 40; round++) {
    const orderApiKey = await captured()
    const reserve = (at: number) =>
      storeAt(at).reserve({ apiKey: `${orderApiKey}-${at}`, orderApiKey, amount: cents(200) })
    const [one, released, other] = await Promise.all([
      reserve(0),
      postgresAuthorizations(pools[round % 2 === 0 ? 0 : 1].db).requestRelease(orderApiKey),
      reserve(1),
    ])
    const begun = [one, other].filter(({ state }) => state === 'sent')
    expect(refundedOf(released)).toBe(200 * begun.length)
    expect(await stores[0].sent(orderApiKey)).toHaveLength(begun.length)
    expect(await reserve(2)).toMatchObject({ state: 'failed', failureCode: 'too_large' })
  }
})

test.each(['sent', 'authorized', 'voided', 'refunded', 'declined'])(
  'refuses to refund an authorization in state %s',
  async (state) => {
    const orderApiKey = `o${++orders}`
    await sql`insert into authorizations (order_api_key, state, amount, token, processor_id, refusal_code, decline_code)
      values (${orderApiKey}, ${state}, 1000, 't', ${state === 'sent' || state === 'declined' ? null : 'pi_1'},
        ${state === 'declined' ? 'card-declined' : null}, ${state === 'declined' ? 'x' : null})`.execute(
      pools[0].db,
    )
    const refund = { apiKey: `${orderApiKey}-f1`, orderApiKey, amount: cents(1) }
    expect(await stores[0].reserve(refund)).toMatchObject({ state: 'failed', failureCode: 'too_large' })
  },
)
