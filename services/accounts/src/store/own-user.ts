import type { Db } from '#/store/tables.ts'

/** A user as one application knows it. */
export type Owner = { userApiKey: string; applicationId: string }

/**
 * The user's row, if the user belongs to the application (docs/interface.md, "Access to users and orders"): where every look
 * at a user, a card or an address on behalf of an application begins.
 */
export const ownUser = (db: Db, { userApiKey, applicationId }: Owner) =>
  db
    .selectFrom('users')
    .where('users.api_key', '=', userApiKey)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('user_applications')
          .select('user_applications.user_api_key')
          .whereRef('user_applications.user_api_key', '=', 'users.api_key')
          .where('user_applications.application_id', '=', applicationId),
      ),
    )

export const isOwnUser = async (db: Db, owner: Owner): Promise<boolean> =>
  (await ownUser(db, owner).select('users.api_key').executeTakeFirst()) !== undefined
