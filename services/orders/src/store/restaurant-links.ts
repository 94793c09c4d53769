import type { RestaurantLink } from '@platter/contracts'
import { batched, matched } from '@platter/kit'
import { prepared } from '@platter/kit/postgres/prepared'
import { sql } from 'kysely'
import type { Db } from '#/store/tables.ts'

export async function put(db: Db, restaurantApiKey: string, link: RestaurantLink): Promise<void> {
  const text = JSON.stringify(link)
  await db
    .insertInto('restaurant_links')
    .values({ restaurant_api_key: restaurantApiKey, link: text })
    .onConflict((conflict) => conflict.column('restaurant_api_key').doUpdateSet({ link: text }))
    .execute()
}

const findAll = prepared((db: Db, { keys }: { keys: readonly string[] }) => ({
  compile: () =>
    sql<{ restaurant_api_key: string; link: RestaurantLink }>`
      select restaurant_api_key, link from restaurant_links where restaurant_api_key = any(${keys})`.compile(
      db,
    ),
}))

/** How orders reach the restaurant; null when that was never set. Orders that ask in the same turn share the statement. */
export const find = batched({
  run: async (db: Db, keys: readonly string[]): Promise<(RestaurantLink | null)[]> => {
    const rows = await findAll(db, { keys })
    return matched(keys, rows, ({ restaurant_api_key }) => restaurant_api_key).map((row) => row?.link ?? null)
  },
})
