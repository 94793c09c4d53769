import { sql, type Kysely } from 'kysely'
import type { Database } from '#/store/authorizations.ts'

export type WebhookEvents = ReturnType<typeof createWebhookEvents>

/** Longer than Stripe goes on sending an event (3 days), and than anybody sends one again by hand. */
const KEPT_DAYS = 30
/** More than are added, so that the table never grows beyond what is kept. */
const FORGOTTEN_AT_ONCE = 10

/** The rows of `webhook_events`: what was wholly dealt with. */
export function createWebhookEvents(db: Kysely<Database>) {
  return {
    async isKnown(id: string): Promise<boolean> {
      const found = await db.selectFrom('webhook_events').select('id').where('id', '=', id).executeTakeFirst()
      return found !== undefined
    },

    /** Forgets a few old ones on the way. */
    async remember(id: string): Promise<void> {
      await db
        .with('forgotten', (query) =>
          query.deleteFrom('webhook_events').where('id', 'in', (old) =>
            old
              .selectFrom('webhook_events')
              .select('id')
              .where('received_at', '<', sql<Date>`now() - make_interval(days => ${KEPT_DAYS})`)
              .limit(FORGOTTEN_AT_ONCE),
          ),
        )
        .insertInto('webhook_events')
        .values({ id })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    },
  }
}
