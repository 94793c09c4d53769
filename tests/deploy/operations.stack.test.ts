import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Secret } from '@platter/contracts'
import { createLog, type Db } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPasswords } from '../../services/accounts/src/password.ts'
import { prepareDatabase } from '../../dev/servers/database.ts'
import { databaseServices } from '../../dev/stack/services.ts'

/* Executes the queries of docs/queries.md, so that they stay correct. */

const log = createLog('test', 'silent')
const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const page = readFileSync(pathOf('docs/queries.md'), 'utf8')
const queries = new Map(
  [...page.matchAll(/^```sql\n-- ([^\n]+)\n([^]*?)^```$/gm)].map(([, title = '', text = '']) => [
    title,
    text,
  ]),
)

let operator: { db: Db; close: () => Promise<void> }
let urls: Readonly<Record<string, string>>

beforeAll(async () => {
  const url = await newDatabase()
  ;({ urls } = await prepareDatabase(url, databaseServices))
  for (const service of databaseServices) {
    const { db, close } = connectPostgres(urls[service] ?? '', 2, log)
    await migrate(db, pathOf(`services/${service}/migrations`), log)
    await close()
  }
  operator = connectPostgres(url, 2, log)
})

afterAll(() => operator.close())

async function run(title: string) {
  const query = queries.get(title)
  if (query === undefined) throw new Error(`docs/queries.md has no query with the title: ${title}`)
  return (await sql.raw<Record<string, unknown>>(query).execute(operator.db)).rows
}

test('every query of docs/queries.md runs', async () => {
  const blocks = page.split('```sql').length - 1
  expect(queries.size).toBe(blocks)
  expect(blocks).toBeGreaterThan(5)
  for (const title of queries.keys()) await run(title)
})

test('the queries find a stuck order, its saga, payment, dead letter and restaurant', async () => {
  await sql
    .raw(`
    insert into orders.orders (api_key, application_id, restaurant_api_key, placed_at, method, payment, test, total,
                               status, payment_state, outcome, details)
    values ('stuck', 'a', 'r', now() - interval '20 minutes', 'pickup', 'card', false, 1075, 'PROCESSING', 'PENDING',
            'pending', '{}'),
           ('unpaid', 'a', 'r', now() - interval '20 minutes', 'pickup', 'card', false, 500, 'DELIVERED', 'AUTHORIZED',
            'transmitted', '{}'),
           ('paid', 'a', 'r', now() - interval '20 minutes', 'pickup', 'card', false, 600, 'DELIVERED', 'CHARGED',
            'transmitted', '{}'),
           ('refunded', 'a', 'r', now() - interval '20 minutes', 'pickup', 'card', false, 700, 'DELIVERED', 'REFUNDED',
            'transmitted', '{}');
    insert into orders.sagas (order_api_key, attempt, facts, state, request_id, wake_at, deadline_at)
    values ('stuck', 7, '{}', '{}', 'q', now(), now() - interval '15 minutes');
    insert into orders.deliveries (order_api_key, attempts, busy_until, deadline_at)
    values ('stuck', 3, now(), now());
    insert into payments.authorizations (order_api_key, state, amount, token, processor_id, created_at)
    values ('stuck', 'sent', 1075, 't', null, now() - interval '19 minutes'),
           ('paid', 'captured', 600, 't', 'p', now()),
           ('refunded', 'refunded', 700, 't', 'q', now());
    insert into orders.dead_letters (id, command, content, request_id, reason)
    values ('l', 'payments.capture', '', 'q', 'cannot be read')`)
    .execute(operator.db)
  expect(await run('Sagas in flight, by age')).toEqual([{ age: '4: 5 min and more', count: 1, attempts: 7 }])
  expect(await run('Sagas past their deadline')).toMatchObject([{ order_api_key: 'stuck', attempt: 7 }])
  expect(await run('Payments whose outcome is not known')).toMatchObject([{ order_api_key: 'stuck' }])
  expect(await run('Accepted orders without a captured charge')).toMatchObject([{ api_key: 'unpaid' }])
  expect(await run('Dead letters')).toMatchObject([{ id: 'l', deaths: 1, reason: 'cannot be read' }])
  expect(await run('Restaurants with deliveries in progress')).toMatchObject([
    { restaurant_api_key: 'r', orders: 1, attempts: 3 },
  ])
})

test('a query counts the users of each pepper, first those of the newest password', async () => {
  const [older, newer] = ['an older pepper of 32 characters', 'a newer pepper of 32 characters.']
  const password = new Secret('correct horse')
  const before = await createPasswords([older]).acquirePermit('a').hash(password)
  const after = await createPasswords([newer, older]).acquirePermit('a').hash(password)
  for (const [at, hash] of [before, before, after].entries())
    await sql`insert into accounts.users (api_key, email, password_hash, first_name, last_name, phone, created_at)
      values (${`u${at}`}, ${`u${at}@example.org`}, ${hash}, '', '', '', to_timestamp(${at}))`.execute(
      operator.db,
    )
  const [first, second] = await run('Users, by the pepper of their password')
  expect([Number(first?.['users']), Number(second?.['users'])]).toEqual([1, 2])
  expect(after).toContain(`keyid=${String(first?.['pepper'])}$`)
  expect(before).toContain(`keyid=${String(second?.['pepper'])}$`)
})

test('a query returns the newest migration of every service', async () => {
  const newest = await run('The newest migration of each service')
  expect(newest.map(({ service }) => service)).toEqual([...databaseServices])
  expect(newest.every(({ migration }) => /^\d{4}_/.test(String(migration)))).toBe(true)
})

const migrationsOf = async (db: Db): Promise<readonly string[]> =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)).rows.map(
    ({ name }) => name,
  )

test('an older version accepts the schema of a newer version, and does not change it', async () => {
  const { db, close } = connectPostgres(urls['catalog'] ?? '', 1, log)
  const later = '9999_of_a_later_version'
  await sql`insert into kysely_migration (name, timestamp) values (${later}, ${new Date().toISOString()})`.execute(
    db,
  )
  const before = await migrationsOf(db)
  await migrate(db, pathOf('services/catalog/migrations'), log)
  expect(await migrationsOf(db)).toEqual(before)
  await close()
})

test('refuses a schema with an unknown migration in place of a known one', async () => {
  const { db, close } = connectPostgres(urls['accounts'] ?? '', 1, log)
  await sql`update kysely_migration set name = '0001_unknown' where name like '0001_%'`.execute(db)
  await expect(migrate(db, pathOf('services/accounts/migrations'), log)).rejects.toThrow('is missing')
  await close()
})
