import type { Mismatch } from '@platter/contracts'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { PostgresAlerts } from '#/store/alerts.ts'
import { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'

/* When the daily reconciliation runs, and how far back it begins. */

const { db } = await migratedDatabase('orders', 2)
const alerts = new PostgresAlerts(db)
const scheduledRuns = new PostgresScheduledRuns(db)

/** Returns how many days ago the next reconciliation begins. */
const daysAgo = async () => Math.round((Date.now() / 1_000 - (await alerts.reconcileSince())) / 86_400)

test('a new installation begins with a finished reconciliation', async () => {
  const { rows } =
    await sql`select finished_at is not null as finished from scheduled_runs where name = 'reconcile'`.execute(
      db,
    )
  expect(rows).toEqual([{ finished: true }])
})

test('a mismatch that is never corrected extends the daily reconciliation to at most 30 days', async () => {
  expect(await daysAgo()).toBe(1)
  for (const [id, days] of [
    ['m1', 20],
    ['m2', 400],
  ] as const) {
    await sql`insert into reconciliation_mismatches (id, order_api_key, rule, detail, compared_since)
      values (${id}, 'o1', 'charge-missing', '', now() - ${days} * interval '1 day')`.execute(db)
    expect(await daysAgo()).toBe(Math.min(days, 30))
  }
  await sql`update scheduled_runs set covered_until = now() - interval '40 days' where name = 'reconcile'`.execute(
    db,
  )
  expect(await daysAgo(), 'days that were missed are compared').toBe(41)
})

test('makeDue() makes the next reconciliation due, unless one is running', async () => {
  expect(await scheduledRuns.makeDue('reconcile')).toBe(true)
  const running = (await scheduledRuns.acquire('reconcile', 300_000))!
  expect(await scheduledRuns.makeDue('reconcile')).toBe(false)
  await scheduledRuns.finish(running, 86_400_000)
  expect(await scheduledRuns.makeDue('reconcile')).toBe(true)
  expect(await scheduledRuns.acquire('reconcile', 300_000)).toMatchObject({ name: 'reconcile' })
})

test('two mismatches of one order by the same rule are one incident', async () => {
  const run = { name: 'reconcile', version: 2 } as const
  const mismatch = { orderApiKey: 'o1', rule: 'charge-amount', detail: 'The order is 1.00.' } as Mismatch
  const ended = { since: 0, until: 1, nextInMs: 86_400_000 }
  const mismatches = [mismatch, { ...mismatch, detail: 'The amount is 1.00 in payments.' }]
  await alerts.replaceMismatches(run, { mismatches, ...ended })
  expect(await alerts.mismatches()).toMatchObject([{ orderApiKey: 'o1', rule: 'charge-amount' }])
})
