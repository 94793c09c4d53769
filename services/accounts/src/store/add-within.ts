import type { NoRoom } from '#/domain/room.ts'
import { ownUser, type Owner } from '#/store/own-user.ts'
import type { Trx } from '#/store/tables.ts'

/** Of a user's cards or addresses: how many there are, how many there may be, and how another one is stored. */
export type Limited = { count: () => Promise<number>; max: number; insert: () => Promise<void> }

/**
 * Stores another one while there is room. The user's row is locked first and what the user has is counted in
 * a statement after that: in the same one the count would not see what was committed during the wait. The
 * lock is the weak one that lets foreign keys to the row pass. `saveWithin`, for accounts.save, takes the same one.
 */
export async function addWithin(
  trx: Trx,
  owner: Owner,
  { count, max, insert }: Limited,
): Promise<'added' | NoRoom> {
  const user = await ownUser(trx, owner).select('users.api_key').forNoKeyUpdate().executeTakeFirst()
  if (!user) return 'no-such-user'
  if ((await count()) >= max) return 'full'
  await insert()
  return 'added'
}
