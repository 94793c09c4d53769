import type { RestaurantLink } from '@platter/contracts'
import { batched, matched } from '@platter/kit'
import { prepared } from '@platter/kit/postgres/prepared'
import { sql } from 'kysely'
import { PostgresStore } from '#/store/postgres-store.ts'
import type { Db } from '#/store/tables.ts'

const findAll = prepared(
  (_db: Db, { keys }: { keys: readonly string[] }) =>
    sql<{ restaurant_api_key: string; link: RestaurantLink }>`
    select restaurant_api_key, link from restaurant_links where restaurant_api_key = any(${keys})`,
)

const findTogether = batched({
  run: async (db: Db, keys: readonly string[]): Promise<(RestaurantLink | null)[]> => {
    const rows = await findAll(db, { keys })
    return matched(keys, rows, ({ restaurant_api_key }) => restaurant_api_key).map((row) => row?.link ?? null)
  },
})

/** The links by which orders reach their restaurants. */
export class PostgresRestaurantLinks extends PostgresStore {
  /** Returns null if no link was set. Calls in the same turn of the event loop share the statement. */
  find(restaurantApiKey: string): Promise<RestaurantLink | null> {
    return findTogether(this.db, restaurantApiKey)
  }

  async put(restaurantApiKey: string, link: RestaurantLink): Promise<void> {
    const text = JSON.stringify(link)
    await this.db
      .insertInto('restaurant_links')
      .values({ restaurant_api_key: restaurantApiKey, link: text })
      .onConflict((conflict) => conflict.column('restaurant_api_key').doUpdateSet({ link: text }))
      .execute()
  }
}
