import type { Saving } from '@platter/contracts'
import type { Db, Trx } from '#/store/tables.ts'

/**
 * Saves another card or address to the user if `decide` finds room for it. The user's row is locked first, as in
 * `addWithin`: two orders at once would otherwise both find the last free place, or both miss what the other one saves.
 */
export const saveWithin = (
  db: Db,
  userApiKey: string,
  { decide, insert }: { decide: (trx: Trx) => Promise<Saving>; insert: (trx: Trx) => Promise<void> },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .selectFrom('users')
      .select('api_key')
      .where('api_key', '=', userApiKey)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if ((await decide(trx)).kind === 'room') await insert(trx)
  })
