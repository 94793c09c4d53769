import type { CatalogAttendance } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { microsecondsOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { Hours } from '#/domain/hours.ts'

/** The row for restaurants without a row. No restaurant can have this key. */
const OTHERS = '*'

/** True unless the restaurant's attendance prevents orders. Before the first message of orders, every restaurant is attended. */
export const isAttended = sql`(not restaurants.require_attendance or coalesce(
  (select attendance.is_attended from attendance where attendance.restaurant_api_key = restaurants.api_key),
  (select others.is_attended from attendance as others where others.restaurant_api_key = '*'), true))`

type Unattended = {
  restaurantApiKey: string
  name: string
  hours: Hours
  timezone: string
  /** Epoch, microseconds. */
  at: number
}

export type AttendanceStore = ReturnType<typeof postgresAttendance>

export const postgresAttendance = (db: Db) => ({
  /** Stores the rows that are newer than the stored rows. */
  async store({ rows, othersAreAttended }: CatalogAttendance): Promise<void> {
    // A row that is already stored is neither written nor locked.
    if (rows.length > 0)
      await sql`
        insert into attendance (restaurant_api_key, is_attended, version, changed_at)
        select "restaurantApiKey", "isAttended", version, to_timestamp(since)
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as given ("restaurantApiKey" text, "isAttended" boolean, version bigint, since bigint)
        where not exists (select from attendance as stored
          where stored.restaurant_api_key = "restaurantApiKey" and stored.version >= given.version)
        order by "restaurantApiKey"
        on conflict (restaurant_api_key) do update
        set is_attended = excluded.is_attended, version = excluded.version, changed_at = excluded.changed_at
        where attendance.version < excluded.version`.execute(db)
    if (othersAreAttended !== undefined)
      await sql`
        insert into attendance (restaurant_api_key, is_attended, version, changed_at)
        select ${OTHERS}, ${othersAreAttended}::boolean, 0, now() where not exists
          (select from attendance where restaurant_api_key = ${OTHERS} and is_attended = ${othersAreAttended}::boolean)
        on conflict (restaurant_api_key) do update set is_attended = excluded.is_attended, changed_at = now()`.execute(
        db,
      )
  },

  /**
   * Returns restaurants that have been unattended for `olderThanMs`, newest first. Test restaurants and paused restaurants
   * are excluded.
   */
  async unattended(olderThanMs: number): Promise<Unattended[]> {
    const at = sql`greatest(restaurants.created_at, attendance.changed_at)
      + ${olderThanMs}::float8 * interval '1 millisecond'`
    const { rows } = await sql<Unattended>`
      select api_key as "restaurantApiKey", name, hours, time_zone as timezone, ${microsecondsOf(at)} as at
      from restaurants left join attendance on attendance.restaurant_api_key = restaurants.api_key
      where not ${isAttended} and not is_test and (paused_until is null or paused_until <= now())
        and ${at} <= now()
      order by ${at} desc`.execute(db)
    return rows
  },
})
