import type { RestaurantLink } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { LinkKind, WebhookLink } from '#/domain/order-state.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** A console stays attended for this time after a sighting. Including the sweep and the message, closing takes less than 90 s. */
const SEEN_FOR_MS = 75_000
/** Each restaurant is written at most once within this time. */
export const WRITE_EVERY_MS = 15_000
/** The time between two pings of a webhook without traffic, and the delay after a failure. */
const PING_EVERY_S = 60
const PING_AGAIN_S = 10
/** After this many failures, a webhook is pinged as rarely as a working one. */
const PING_AGAIN_TIMES = 10
/** The lease of a ping. If its replica dies, another replica repeats the ping after this time. */
const PING_LEASE_S = 20
const FAILURES = 3

export type Attended = { restaurantApiKey: string; isAttended: boolean; version: number; since: number }
export type Attendance = { attended: boolean; link: LinkKind; until: number | null }
export type DueWebhook = { restaurantApiKey: string; link: WebhookLink }
/** Results of a webhook since the last write. `failures` counts those after the last success. */
export type Results = { restaurantApiKey: string; succeeded: boolean; failures: number }

export const ATTENDED = sql<Attended>`restaurant_api_key as "restaurantApiKey", is_attended as "isAttended", version,
  ${epochOf('changed_at')} as since`

const kindOf = (defaultKind: LinkKind) => sql`coalesce((select link->>'kind' from restaurant_links
  where restaurant_links.restaurant_api_key = a.restaurant_api_key), ${defaultKind}::text)`

/**
 * Returns whether the restaurant of row `a` is attended. It reads the columns of `a` itself: an update that waited for the row's
 * lock then evaluates the condition for the new row.
 */
const attendedNow = (defaultKind: LinkKind) => sql`case when ${kindOf(defaultKind)} = 'console'
  then coalesce(a.seen_until > now(), false) else a.failures < ${FAILURES} end`

/** The authoritative attendance: a row for each restaurant that was seen or has a webhook. */
export class PostgresAttendance extends PostgresStore {
  readonly #defaultKind: LinkKind

  constructor(db: Db, defaultKind: LinkKind) {
    super(db)
    this.#defaultKind = defaultKind
  }

  /** Records sightings of the restaurants' clients, unless another replica did so within WRITE_EVERY_MS. */
  async recordSightings(restaurantApiKeys: readonly string[]): Promise<void> {
    await sql`
      insert into attendance (restaurant_api_key, seen_until)
      select seen, now() + ${SEEN_FOR_MS}::float8 * interval '1 millisecond'
      from unnest(${restaurantApiKeys}::text[]) as seen order by seen
      on conflict (restaurant_api_key) do update set seen_until = excluded.seen_until
      where attendance.seen_until is null
        or attendance.seen_until <= excluded.seen_until - ${WRITE_EVERY_MS}::float8 * interval '1 millisecond'
    `.execute(this.db)
  }

  /** Updates `is_attended` where it has changed, for all restaurants or the given ones. Returns the changed rows. */
  async updateAttended(restaurantApiKeys: readonly string[] | 'all'): Promise<Attended[]> {
    const attended = attendedNow(this.#defaultKind)
    const these =
      restaurantApiKeys === 'all' ? sql`true` : sql`a.restaurant_api_key = any(${restaurantApiKeys}::text[])`
    const { rows } = await sql<Attended>`
      update attendance a set is_attended = not is_attended, changed_at = now(),
        version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
      where ${these} and a.is_attended <> ${attended} returning ${ATTENDED}`.execute(this.db)
    return rows
  }

  async find(restaurantApiKey: string): Promise<Attendance> {
    const kind = kindOf(this.#defaultKind)
    const { rows } = await sql<Attendance>`
      select coalesce(is_attended, ${kind} = 'webhook') as attended, ${kind} as link,
        case when ${kind} = 'console' then ${epochOf('seen_until')} end as until
      from (select ${restaurantApiKey}::text as restaurant_api_key) as a
      left join attendance using (restaurant_api_key)`.execute(this.db)
    const [found] = rows
    if (!found) throw new Error('a select without a condition has no row')
    return found
  }

  /** Returns rows in the order of their keys, after the given one. */
  async list({ after, limit }: { after: string; limit: number }): Promise<Attended[]> {
    const { rows } = await sql<Attended>`
      select ${ATTENDED} from attendance where restaurant_api_key > ${after} order by restaurant_api_key limit ${limit}
    `.execute(this.db)
    return rows
  }

  /** Returns webhooks whose ping is due, and leases them for PING_LEASE_S. */
  async acquirePings(limit: number): Promise<DueWebhook[]> {
    const { rows } = await sql<{ restaurantApiKey: string; link: RestaurantLink | null }>`
      update attendance a set ping_at = now() + ${PING_LEASE_S}::integer * interval '1 second'
      where restaurant_api_key in (select restaurant_api_key from attendance where ping_at <= now()
        order by ping_at limit ${limit} for update skip locked)
      returning restaurant_api_key as "restaurantApiKey", (select link from restaurant_links l
        where l.restaurant_api_key = a.restaurant_api_key) as link`.execute(this.db)
    return rows.flatMap(({ restaurantApiKey, link }) =>
      link?.kind === 'webhook' ? { restaurantApiKey, link } : [],
    )
  }

  /** Counts the results of webhooks, and sets the time of their next pings. */
  async addResults(results: readonly Results[]): Promise<void> {
    await sql`
      update attendance a set
        failures = case when r.failures = 0 then 0
          when r.succeeded then r.failures
          when a.has_succeeded then a.failures + r.failures
          else greatest(${FAILURES}, a.failures + r.failures) end,
        has_succeeded = a.has_succeeded or r.succeeded,
        ping_at = now() + interval '1 second' * case
          when r.failures = 0 or a.failures > ${PING_AGAIN_TIMES} then ${PING_EVERY_S}::integer
          else ${PING_AGAIN_S}::integer end
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
        as r ("restaurantApiKey" text, succeeded boolean, failures integer)
      where a.restaurant_api_key = r."restaurantApiKey" and a.ping_at is not null`.execute(this.db)
  }
}

export type AttendanceStore = Pick<PostgresAttendance, keyof PostgresAttendance>
