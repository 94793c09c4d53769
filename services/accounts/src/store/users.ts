import type { User } from '@platter/contracts'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { addressColumns } from './addresses.ts'
import { cardColumns } from './cards.ts'
import { ownUser, type Owner } from './own-user.ts'
import type { Db } from './tables.ts'

export type NewUser = {
  apiKey: string
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  phone: string
}

/** Stores the user as one of the application's. False, with nothing stored, when the e-mail is taken. */
export async function insertUser(db: Db, user: NewUser, applicationId: string): Promise<boolean> {
  const inserted = await db
    .with('fresh', (cte) =>
      cte
        .insertInto('users')
        .values({
          api_key: user.apiKey,
          email: user.email,
          password_hash: user.passwordHash,
          first_name: user.firstName,
          last_name: user.lastName,
          phone: user.phone,
        })
        .onConflict((conflict) => conflict.column('email_key').doNothing())
        .returning('api_key'),
    )
    .insertInto('user_applications')
    .columns(['user_api_key', 'application_id'])
    .expression((eb) =>
      eb.selectFrom('fresh').select(['fresh.api_key', eb.val(applicationId).as('application_id')]),
    )
    .returning('user_api_key')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The user with cards and addresses, oldest first; undefined when there is none for this application. */
export function readUser(db: Db, owner: Owner): Promise<User | undefined> {
  return ownUser(db, owner)
    .select((eb) => [
      'users.api_key as apiKey',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.phone',
      jsonArrayFrom(
        eb
          .selectFrom('addresses')
          .select(addressColumns)
          .whereRef('addresses.user_api_key', '=', 'users.api_key')
          .orderBy('addresses.created_at')
          .orderBy('addresses.api_key'),
      ).as('savedAddresses'),
      jsonArrayFrom(
        eb
          .selectFrom('cards')
          .select(cardColumns)
          .whereRef('cards.user_api_key', '=', 'users.api_key')
          .orderBy('cards.created_at')
          .orderBy('cards.api_key'),
      ).as('creditCards'),
    ])
    .executeTakeFirst()
}
