import type { Db } from '@platter/kit'
import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'

export type WebhookEventStore = ReturnType<typeof postgresWebhookEvents>

/** The time of the last event, in one row of `webhook_events`. Replicas of an earlier version insert a row for each event. */
export const postgresWebhookEvents = (db: Db) => ({
  /** Records that an event was completely handled. */
  async recordHandled(): Promise<void> {
    await sql`insert into webhook_events (id) values ('last')
      on conflict (id) do update set received_at = now()`.execute(db)
  },
  /** Returns the time of the last event, if it is at most a day old, in epoch seconds; otherwise null. */
  async lastHandled(): Promise<number | null> {
    const { rows } = await sql<{ at: number }>`
      select ${epochOf('received_at')} as at from webhook_events
      where received_at > now() - interval '1 day' order by received_at desc limit 1`.execute(db)
    return rows[0]?.at ?? null
  },
})
