import type { Db } from '@platter/kit'
import { sql } from 'kysely'

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

/** Matches the row of the user, if the user belongs to the application (docs/interface.md, "Access to users and orders"). */
export const isOwner = ({ userApiKey, applicationId }: Owner) => sql`
  users.api_key = ${userApiKey} and exists (select from user_applications
    where user_applications.user_api_key = users.api_key and user_applications.application_id = ${applicationId})`

/** Returns whether the user belongs to the application. */
export async function isUser(db: Db, owner: Owner): Promise<boolean> {
  const { rows } = await sql`select api_key from users where ${isOwner(owner)}`.execute(db)
  return rows.length > 0
}
