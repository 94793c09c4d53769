import type { Db } from '#/store/tables.ts'

/** A user of a client application. */
export type Owner = { userApiKey: string; applicationId: string }

/** Returns the user that a request names, with the application that sends the request. */
export const ownerOf = (call: {
  params: { apiKey: string }
  principal: { applicationId: string }
}): Owner => ({
  userApiKey: call.params.apiKey,
  applicationId: call.principal.applicationId,
})

/** Selects the row of the user, if the user belongs to the application (docs/interface.md, "Access to users and orders"). */
export const userOfTenant = (db: Db, { userApiKey, applicationId }: Owner) =>
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
