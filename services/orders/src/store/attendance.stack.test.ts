import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { PostgresAttendance } from '#/store/attendance.ts'
import { PostgresRestaurantLinks } from '#/store/restaurant-links.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const webhook = {
  kind: 'webhook',
  url: 'https://kitchen.example.org/orders',
  secret: 'whsec_x',
  reports: 'detailed',
} as const

const { db } = await migratedDatabase('orders', 4)
const store = new PostgresAttendance(db, 'console')
const links = new PostgresRestaurantLinks(db)

beforeEach(async () => {
  await sql`truncate attendance, restaurant_links`.execute(db)
})

/** Lets time pass by moving all times of the restaurants back. */
const passTime = (seconds: number) =>
  sql`update attendance set seen_until = seen_until - ${seconds}::integer * interval '1 second',
    ping_at = ping_at - ${seconds}::integer * interval '1 second'`.execute(db)
const readSeenUntil = async () =>
  (await sql<{ seen: string }>`select seen_until::text as seen from attendance`.execute(db)).rows[0]?.seen
const updateAll = async () =>
  (await store.updateAttended('all')).map((row) => [row.restaurantApiKey, row.isAttended])
const fail = (failures: number) => store.addResults([{ restaurantApiKey: 'r1', succeeded: false, failures }])
const succeed = () => store.addResults([{ restaurantApiKey: 'r1', succeeded: true, failures: 0 }])
const due = async () => (await store.acquirePings(10)).map(({ restaurantApiKey }) => restaurantApiKey)

/** Adds a restaurant with a webhook whose first ping succeeded. */
async function addWebhook() {
  await links.put('r1', webhook)
  await succeed()
  await updateAll()
}

test('a console is attended for 75 s after each sighting, and its version increases with each change', async () => {
  await store.recordSightings(['r1'])
  const [seen] = await store.updateAttended('all')
  expect(seen).toMatchObject({ restaurantApiKey: 'r1', isAttended: true })
  expect(await store.find('r1')).toEqual({
    attended: true,
    link: 'console',
    until: expect.any(Number) as number,
  })
  await passTime(74)
  expect(await updateAll()).toEqual([])
  await passTime(2)
  expect(await store.updateAttended([]), 'a sweep in its grace period').toEqual([])
  const [unattended] = await store.updateAttended('all')
  expect(unattended).toMatchObject({ restaurantApiKey: 'r1', isAttended: false })
  expect(unattended?.version).toBeGreaterThan(seen?.version ?? Infinity)
  await store.recordSightings(['r1'])
  expect(await updateAll()).toEqual([['r1', true]])
})

test('recordSightings() writes a sighting at most every 15 s', async () => {
  await store.recordSightings(['r1'])
  await passTime(10)
  const before = await readSeenUntil()
  await store.recordSightings(['r1'])
  expect(await readSeenUntil()).toBe(before)
  await passTime(6)
  await store.recordSightings(['r1'])
  expect(await readSeenUntil()).not.toBe(before)
})

test('a restaurant without a row has the attendance of its default link', async () => {
  expect(await store.find('r1')).toEqual({ attended: false, link: 'console', until: null })
  const simulated = new PostgresAttendance(db, 'webhook')
  expect(await simulated.find('r1')).toEqual({ attended: true, link: 'webhook', until: null })
})

test('a new webhook is attended, its ping is due at once, and one failure makes it unattended', async () => {
  await links.put('r1', webhook)
  expect(await updateAll()).toEqual([['r1', true]])
  expect(await due()).toEqual(['r1'])
  await fail(1)
  expect(await updateAll()).toEqual([['r1', false]])
  await succeed()
  expect(await updateAll()).toEqual([['r1', true]])
})

test('a webhook is unattended after three failures in a row, and attended after the next success', async () => {
  await addWebhook()
  await fail(2)
  expect(await updateAll()).toEqual([])
  await succeed()
  await fail(2)
  await fail(1)
  expect(await updateAll()).toEqual([['r1', false]])
  await succeed()
  expect(await updateAll()).toEqual([['r1', true]])
})

test('a ping is due 60 s after a success and 10 s after a failure, for one replica', async () => {
  await addWebhook()
  await passTime(59)
  expect(await due()).toEqual([])
  await passTime(2)
  expect(await due()).toEqual(['r1'])
  expect(await due(), 'another replica').toEqual([])
  await fail(1)
  await passTime(11)
  expect(await due()).toEqual(['r1'])
})

const migrateAgain = async () =>
  // eslint-disable-next-line no-restricted-properties -- a file of this repository
  sql.raw(await readFile(`${MIGRATIONS}/0240_give_webhooks_their_attendance.sql`, 'utf8')).execute(db)

test('a webhook from before its attendance is attended after the migration, until three failures', async () => {
  await links.put('r1', webhook)
  await sql`delete from attendance`.execute(db)
  await migrateAgain()
  expect(await updateAll()).toEqual([['r1', true]])
  await fail(2)
  expect(await updateAll()).toEqual([])
  await fail(1)
  expect(await updateAll()).toEqual([['r1', false]])
})

test.each([
  ['', false],
  [', even if a replica of an earlier version died after it had set the link', true],
])('a console that becomes a webhook is pinged, and unattended after a failure%s', async (_, wasKilled) => {
  await links.put('r1', { kind: 'console', reports: 'detailed' })
  await links.put('r1', webhook)
  if (wasKilled) {
    await sql`update attendance set ping_at = null`.execute(db)
    await migrateAgain()
  }
  expect(await updateAll()).toEqual([['r1', true]])
  expect(await due()).toEqual(['r1'])
  await fail(1)
  expect(await updateAll()).toEqual([['r1', false]])
})

test('a webhook that becomes a console is unattended, and no ping is due for it', async () => {
  await addWebhook()
  await links.put('r1', { kind: 'console', reports: 'detailed' })
  expect(await updateAll()).toEqual([['r1', false]])
  await passTime(100)
  expect(await due()).toEqual([])
})
