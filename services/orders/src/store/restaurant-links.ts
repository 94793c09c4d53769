import type { RestaurantLink } from '@platter/contracts'
import { batched, matched, type Db } from '@platter/kit'
import { sql } from 'kysely'
import { ATTENDED, type Attended } from '#/store/attendance.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

const findTogether = batched({
  run: async (db: Db, keys: readonly string[]): Promise<(RestaurantLink | null)[]> => {
    const { rows } = await sql<{ restaurant_api_key: string; link: RestaurantLink }>`
    select restaurant_api_key, link from restaurant_links where restaurant_api_key = any(${keys})`.execute(db)
    return matched(keys, rows, ({ restaurant_api_key }) => restaurant_api_key).map((row) => row?.link ?? null)
  },
})

/** The links by which orders reach their restaurants. */
export class PostgresRestaurantLinks extends PostgresStore {
  /** Returns null if no link was set. Calls in the same turn of the event loop share the statement. */
  find(restaurantApiKey: string): Promise<RestaurantLink | null> {
    return findTogether(this.db, restaurantApiKey)
  }

  /**
   * Sets a link and resets the attendance of its restaurant, in one statement: a webhook is attended, and its first ping is due.
   * Returns the row of the attendance.
   */
  async put(restaurantApiKey: string, link: RestaurantLink): Promise<Attended[]> {
    const pingAt = link.kind === 'webhook' ? sql`now()` : sql`null`
    const { rows } = await sql<Attended>`
      with linked as (
        insert into restaurant_links (restaurant_api_key, link)
        values (${restaurantApiKey}, ${JSON.stringify(link)}::jsonb)
        on conflict (restaurant_api_key) do update set link = excluded.link)
      insert into attendance (restaurant_api_key, ping_at) values (${restaurantApiKey}, ${pingAt})
      on conflict (restaurant_api_key) do update
      set ping_at = excluded.ping_at, failures = 0, has_succeeded = false
      returning ${ATTENDED}`.execute(this.db)
    return rows
  }
}
