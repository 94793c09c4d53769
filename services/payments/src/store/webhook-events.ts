import { sql, type Kysely } from 'kysely'
import type { Database } from '#/store/authorizations.ts'

/** Stripe repeats an event for 3 days, and an operator can resend one from the Dashboard for 30 days. */
const RETENTION_DAYS = 30
/** More rows than the one that is inserted, so that the table does not grow beyond the retention time. */
const DELETED_AT_ONCE = 10

export type WebhookEventStore = ReturnType<typeof postgresWebhookEvents>

/** The rows of `webhook_events`: events that were completely handled. */
export const postgresWebhookEvents = (db: Kysely<Database>) => ({
  async isHandled(id: string): Promise<boolean> {
    const found = await db.selectFrom('webhook_events').select('id').where('id', '=', id).executeTakeFirst()
    return found !== undefined
  },
  /** Marks an event as handled, and deletes a few expired rows. */
  async markHandled(id: string): Promise<void> {
    await db
      .with('expired', (query) =>
        query.deleteFrom('webhook_events').where('id', 'in', (old) =>
          old
            .selectFrom('webhook_events')
            .select('id')
            .where('received_at', '<', sql<Date>`now() - make_interval(days => ${RETENTION_DAYS})`)
            .limit(DELETED_AT_ONCE),
        ),
      )
      .insertInto('webhook_events')
      .values({ id })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  },
  /** Returns the time of the newest event of the last day, in epoch seconds; null without one. */
  async lastHandled(): Promise<number | null> {
    const { rows } = await sql<{ at: number }>`
      select floor(extract(epoch from received_at))::int8 as at from webhook_events
      where received_at > now() - interval '1 day' order by received_at desc limit 1`.execute(db)
    return rows[0]?.at ?? null
  },
})
