import { cents } from '@platter/contracts'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { ReadRefund } from '#/domain/charge-after-sale.ts'
import { postgresRefunds } from '#/store/refunds.ts'
import { postgresAuthorizations } from '#/store/authorizations.ts'
import { postgresChargeMirrors, type ChargeMirrorStore } from '#/store/charge-mirrors.ts'

const postgres = await migratedDatabase('payments', 3)
const mirrors = postgresChargeMirrors(postgres.db)

beforeAll(async () => {
  for (const orderApiKey of ['o1', 'o2'])
    await postgresAuthorizations(postgres.db).findOrCreate(orderApiKey, { amount: cents(900), token: 't' })
})

const refund = { id: 're_1', key: null, amount: cents(300), state: 'done', at: 1_700_000_000 } as const
const dispute = {
  id: 'dp_1',
  state: 'open',
  amount: cents(300),
  reason: 'fraudulent',
  at: 1_700_000_000,
  respondBy: 1_700_600_000,
} as const
const mirror = { orderApiKey: 'o1', processorId: 'pi_1', refunds: [refund], disputes: [dispute] }

test('a changed mirror gets a new version, and an earlier one never replaces a later one', async () => {
  const early = await mirrors.now()
  const late = await mirrors.now()
  expect(await mirrors.set(mirror, late)).toBe(1)
  expect(await mirrors.set(mirror, late)).toBeNull()
  expect(await mirrors.set({ ...mirror, refunds: [] }, early)).toBeNull()
  expect(await mirrors.find('o1')).toEqual({ ...mirror, version: 1 })
  expect(await mirrors.set({ ...mirror, refunds: [] }, await mirrors.now())).toBe(2)
  expect(await mirrors.find('o2')).toBeNull()
})

test('open disputes are listed newest first, closed ones are not', async () => {
  const later = { ...dispute, id: 'dp_2', at: dispute.at + 60 }
  const second = { orderApiKey: 'o2', processorId: 'pi_2', refunds: [], disputes: [later] }
  await mirrors.set(second, await mirrors.now())
  expect((await mirrors.unfinished(9)).toSorted()).toEqual(['pi_1', 'pi_2'])
  const list = await mirrors.openDisputes()
  expect(list.map((one) => [one.orderApiKey, one.amount, one.count, one.respondBy])).toEqual([
    ['o2', 300, 1, 1_700_600_000],
    ['o1', 300, 1, 1_700_600_000],
  ])
  await setConfirmed({ ...second, disputes: [{ ...later, state: 'lost' }] })
  expect(await mirrors.openDisputes()).toMatchObject([{ orderApiKey: 'o1' }])
  expect(await mirrors.unfinished(9)).toEqual(['pi_1'])
})

async function setConfirmed(changed: Parameters<ChargeMirrorStore['set']>[0]): Promise<void> {
  const version = await mirrors.set(changed, await mirrors.now())
  await mirrors.confirm(changed.orderApiKey, version ?? 0)
}

test('a charge is unfinished while a refund is pending, and until orders has confirmed its mirror', async () => {
  const pending = { ...mirror, refunds: [{ ...refund, state: 'pending' as const }], disputes: [] }
  await setConfirmed(pending)
  expect(await mirrors.unfinished(9)).toEqual(['pi_1'])
  const done = { ...pending, refunds: [refund] }
  await mirrors.set(done, await mirrors.now())
  expect(await mirrors.unfinished(9)).toEqual(['pi_1'])
  await setConfirmed({ ...done, disputes: [{ ...dispute, state: 'won' }] })
  expect(await mirrors.unfinished(9)).toEqual([])
})

test('no mirror waits for older ones that orders never confirms', async () => {
  for (const [orderApiKey, processorId] of [
    ['o1', 'pi_1'],
    ['o2', 'pi_2'],
  ] as const)
    await mirrors.set({ ...mirror, orderApiKey, processorId }, await mirrors.now())
  const unconfirmed = async () => (await mirrors.unconfirmed(1)).map(({ processorId }) => processorId)
  expect(await foundBy(unconfirmed)).toBe(2)
  expect(await mirrors.unfinished(1)).toHaveLength(1)
  expect(await foundBy(() => mirrors.unfinished(1))).toBe(2)
})

/** Returns the number of different mirrors in a hundred pages. */
const foundBy = async (page: () => Promise<string[]>) =>
  new Set((await Promise.all(Array.from({ length: 100 }, page))).flat()).size

/** Cancels an order whose whole charge was refunded. */
async function releaseRefunded(orderApiKey: string): Promise<void> {
  const authorizations = postgresAuthorizations(postgres.db)
  const sent = await authorizations.findOrCreate(orderApiKey, { amount: cents(900), token: 't' })
  const { row } = await authorizations.move(sent, { state: 'captured', processorId: orderApiKey })
  await authorizations.requestRelease(orderApiKey)
  await authorizations.move(row, { state: 'refunded', processorId: orderApiKey })
}

const list = async () => (await mirrors.missingRefunds()).map((one) => [one.orderApiKey, one.amount])

const part = { ...refund, id: 're_2' }
const rest = { ...refund, id: 're_3', amount: cents(600) }
const failed = { ...rest, state: 'failed' } as const

const setRefunds = async (orderApiKey: string, refunds: ReadRefund[]) =>
  mirrors.set({ orderApiKey, processorId: orderApiKey, refunds, disputes: [] }, await mirrors.now())

test('a refund that failed after its order was cancelled is missing until another one replaces it', async () => {
  for (const one of ['c1', 'c2']) {
    await releaseRefunded(one)
    await setRefunds(one, [part, rest])
  }
  expect(await list()).toEqual([])
  await setRefunds('c1', [part, failed])
  await setRefunds('c2', [{ ...part, state: 'failed' }, failed])
  expect(await list()).toEqual([
    ['c2', 900],
    ['c1', 600],
  ])
  await setRefunds('c1', [part, failed, { ...rest, id: 're_4', state: 'pending' }])
  expect(await list()).toEqual([['c2', 900]])
})

/** Sets the dispute of an order, by default of the whole charge. */
const setDispute = async (
  state: 'lost' | 'open' | 'won',
  refunds: ReadRefund[] = [],
  { orderApiKey = 'c3', amount = 900 } = {},
) =>
  mirrors.set(
    {
      orderApiKey,
      processorId: orderApiKey,
      refunds,
      disputes: [{ ...dispute, state, amount: cents(amount) }],
    },
    await mirrors.now(),
  )

test('the amount of a lost dispute that is won after the cancellation is missing until it is refunded', async () => {
  await releaseRefunded('c3')
  for (const state of ['lost', 'open'] as const) {
    await setDispute(state)
    expect(await list()).toEqual([['c2', 900]])
  }
  await setDispute('won')
  expect(await list()).toEqual([
    ['c3', 900],
    ['c2', 900],
  ])
  await setDispute('won', [{ ...rest, amount: cents(900) }])
  expect(await list()).toEqual([['c2', 900]])
})

test('a release after a won dispute is missing only if its refund is not read within five minutes', async () => {
  const authorizations = postgresAuthorizations(postgres.db)
  await authorizations.findOrCreate('c4', { amount: cents(900), token: 't' })
  await setDispute('won', [], { orderApiKey: 'c4' })
  await releaseRefunded('c4')
  expect(await list()).toEqual([['c2', 900]])
  for (const table of ['authorizations', 'charge_mirrors'] as const)
    await sql`update ${sql.table(table)} set updated_at = updated_at - interval '6 minutes'
      where order_api_key = 'c4'`.execute(postgres.db)
  expect(await list()).toContainEqual(['c4', 900])
  await setDispute('won', [{ ...rest, amount: cents(900) }], { orderApiKey: 'c4' })
  expect(await list()).toEqual([['c2', 900]])
})

test('what a lost dispute of a cancelled order left is missing, because the processor refuses its refund', async () => {
  await releaseRefunded('c5')
  await setDispute('lost', [], { orderApiKey: 'c5', amount: 300 })
  expect(await list()).toContainEqual(['c5', 600])
  await setDispute('lost', [], { orderApiKey: 'c5' })
  expect(await list()).toEqual([['c2', 900]])
})

test('a failed refund of an order that is not cancelled is not missing here: its order has it', async () => {
  const authorizations = postgresAuthorizations(postgres.db)
  const sent = await authorizations.findOrCreate('o3', { amount: cents(900), token: 't' })
  await authorizations.move(sent, { state: 'captured', processorId: 'o3' })
  await mirrors.set(
    { orderApiKey: 'o3', processorId: 'o3', refunds: [failed], disputes: [] },
    await mirrors.now(),
  )
  expect(await list()).toEqual([['c2', 900]])
})

test('one replica compares at a time until its lease ends, and the next one continues at the stored end', async () => {
  const first = await mirrors.acquire(60_000)
  expect(first?.now).toBeGreaterThanOrEqual(Number(first?.from))
  expect(await mirrors.acquire(60_000)).toBeNull()
  await mirrors.release(1_700_000_000)
  expect(await mirrors.acquire(60_000)).toMatchObject({ from: 1_700_000_000 })
  await mirrors.renew(0)
  expect(await mirrors.acquire(60_000)).toMatchObject({ from: 1_700_000_000 })
  await mirrors.renew(60_000)
  expect(await mirrors.acquire(60_000)).toBeNull()
})

async function lockWaits(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(postgres.db)
  return rows.length
}

test('of two concurrent reads of a charge, the later one decides what counts as refunded', async () => {
  const { db } = postgres
  const authorizations = postgresAuthorizations(db)
  await authorizations.findOrCreate('o4', { amount: cents(900), token: 't' })
  const charge = { orderApiKey: 'o4', processorId: 'pi_4', disputes: [] }
  const [earlier, later] = [await mirrors.now(), await mirrors.now()]
  const { waiting } = await db.transaction().execute(async (transaction) => {
    await postgresChargeMirrors(transaction).set({ ...charge, refunds: [refund] }, earlier)
    const started = mirrors.set({ ...charge, refunds: [{ ...refund, state: 'failed' }] }, later)
    await expect.poll(lockWaits).toBe(1)
    return { waiting: started }
  })
  expect(await waiting).toBe(2)
  expect(await authorizations.find('o4')).not.toHaveProperty('refunded')
})

test('a charge stays captured when its refund fails while markWhollyRefunded waits for that change', async () => {
  const { db } = postgres
  const authorizations = postgresAuthorizations(db)
  const sent = await authorizations.findOrCreate('o5', { amount: cents(900), token: 't' })
  await authorizations.move(sent, { state: 'captured', processorId: 'pi_5' })
  const charge = { orderApiKey: 'o5', processorId: 'pi_5', disputes: [] }
  const whole = { ...refund, amount: cents(900) }
  await mirrors.set({ ...charge, refunds: [whole] }, await mirrors.now())
  const { waiting } = await db.transaction().execute(async (transaction) => {
    await postgresChargeMirrors(transaction).set(
      { ...charge, refunds: [{ ...whole, state: 'failed' }] },
      await mirrors.now(),
    )
    const started = postgresRefunds(db).markWhollyRefunded('o5')
    await expect.poll(lockWaits).toBe(1)
    return { waiting: started }
  })
  await waiting
  expect(await authorizations.find('o5')).toMatchObject({ state: 'captured' })
})
