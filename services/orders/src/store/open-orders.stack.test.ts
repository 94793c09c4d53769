import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, newApiKey, type Db } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { Stores } from '#/store/stores.ts'
import type { Position } from '#/store/changes.ts'
import { postgresStores } from '#/store/stores.ts'

const log = createLog('test', 'fatal')
const directory = join(import.meta.dirname, '../../migrations')
const restaurant = newApiKey()

test('orders from before migration 0130 and from the previous version are in lists and streams', async () => {
  await using earlier = await copyMigrationsBefore('0130')
  const { db, close } = connectPostgres(await newDatabase(), 2, log)
  try {
    await migrate(db, earlier.directory, log)
    const { changes, restaurantOrders } = postgresStores(db)
    const insert = (apiKey: string, status: string) =>
      sql`
      insert into orders (api_key, application_id, restaurant_api_key, method, payment, test, total, status, payment_state, outcome, details)
      values (${apiKey}, 'a', ${restaurant}, 'pickup', 'cash', false, 0, ${status}, 'DUE', 'transmitted', '{}')`.execute(
        db,
      )
    await insert('open', 'PREPARING')
    await insert('delivered', 'DELIVERED')
    const since = await positionAfter(db, changes, 'delivered')
    await insert('delivered since', 'DELIVERED')
    await migrate(db, directory, log)

    const listed = async (open: boolean) => {
      const page = await restaurantOrders.list(restaurant, { open, before: null, limit: 100 })
      return page.orders.map(({ apiKey }) => apiKey)
    }
    expect(await listed(true)).toEqual(['open'])
    expect(await listed(false)).toEqual(['delivered since', 'delivered', 'open'])
    const { orders } = await restaurantOrders.changed(restaurant, {
      since,
      whole: false,
      after: 0,
      limit: 100,
    })
    expect(orders.map(({ apiKey }) => apiKey)).toEqual(['delivered since'])

    const areOlder = async () => {
      const { rows } = await sql<{ older: boolean }>`
        select bool_and(changed_bucket < bucket_of(${await changes.position()})) as older from orders`.execute(
        db,
      )
      return rows
    }
    await expect.poll(areOlder, { message: 'a later position reads none of them' }).toEqual([{ older: true }])

    // The statements of a replica of the previous version.
    await sql`update orders set status = 'DELIVERED' where api_key = 'open'`.execute(db)
    await insert('inserted by the previous version', 'PREPARING')
    expect(await listed(true)).toEqual(['inserted by the previous version'])
    const all = await restaurantOrders.changed(restaurant, { since, whole: false, after: 0, limit: 100 })
    expect(all.orders.map(({ apiKey }) => apiKey)).toEqual([
      'open',
      'delivered since',
      'inserted by the previous version',
    ])
  } finally {
    await close()
  }
})

/** Returns a position above the order, once no transaction of the server is older than the order. */
const positionAfter = (db: Db, changes: Stores['changes'], apiKey: string): Promise<Position> =>
  vi.waitFor(
    async () => {
      const position = await changes.position()
      const { rows } = await sql<{ below: boolean }>`
        select changed_in < ${position}::xid8 as below from orders where api_key = ${apiKey}`.execute(db)
      expect(rows).toEqual([{ below: true }])
      return position
    },
    { timeout: 60_000 },
  )

/** Copies the earlier migrations. */
async function copyMigrationsBefore(number: string) {
  const copy = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const name of (await readdir(directory)).filter((one) => one < number))
    await cp(join(directory, name), join(copy, name))
  return { directory: copy, [Symbol.asyncDispose]: () => rm(copy, { recursive: true }) }
}
