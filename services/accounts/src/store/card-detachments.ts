import type { Db } from '@platter/kit'
import { sql } from 'kysely'

/** A removed card that must be detached at the payment processor. The token must not be logged. */
type CardDetachment = { cardApiKey: string; token: string }

export type CardDetachmentStore = ReturnType<typeof postgresCardDetachments>

/** The rows of `card_detachments`, which the removal of a card inserts. */
export const postgresCardDetachments = (db: Db) => ({
  /**
   * Returns at most `limit` due detachments. Each is due again after 10 s, doubling up to an hour, ±20 %, unless it is deleted. A
   * row is deleted and not returned if its token belongs to a saved card, or to a card that was removed later.
   */
  async takeDue(limit: number): Promise<CardDetachment[]> {
    const { rows } = await sql<CardDetachment>`
      with due as materialized (
        select card_api_key, token from card_detachments where due_at <= now()
        order by due_at limit ${limit} for update skip locked
      ), needless as (
        delete from card_detachments using due where card_detachments.card_api_key = due.card_api_key and (
          exists (select from cards where cards.token = due.token and cards.user_api_key is not null)
          or exists (select from card_detachments later where later.token = due.token and later.due_at > now()))
        returning due.card_api_key
      )
      update card_detachments set attempts = attempts + 1,
        due_at = now() + (0.8 + 0.4 * random())
          * least(interval '1 hour', interval '10 seconds' * power(2, least(attempts, 10)))
      from due where card_detachments.card_api_key = due.card_api_key
        and due.card_api_key not in (select card_api_key from needless)
      returning due.card_api_key as "cardApiKey", due.token`.execute(db)
    return rows
  },
  /** Deletes the row of a card that is detached, or that the processor does not have. */
  async delete(cardApiKey: string): Promise<void> {
    await sql`delete from card_detachments where card_api_key = ${cardApiKey}`.execute(db)
  },
})
