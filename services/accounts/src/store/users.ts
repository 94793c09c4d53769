import type { User } from '@platter/contracts'
import { sql } from 'kysely'
import { addressesOfUser } from '#/store/addresses.ts'
import { cardsOfUser } from '#/store/cards.ts'
import { userOfTenant, type Owner } from '#/store/tenant-user.ts'
import type { Db } from '#/store/tables.ts'

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

/** What is changed of a user; what is absent stays. */
export type UserChanges = {
  passwordHash?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  phone?: string | undefined
}

/** Changes the user and gives the user as it is then; undefined when there is none for this application. */
export async function updateUser(db: Db, owner: Owner, changes: UserChanges): Promise<User | undefined> {
  const { passwordHash = null, firstName = null, lastName = null, phone = null } = changes
  await db
    .updateTable('users')
    .set((eb) => ({
      password_hash: eb.fn.coalesce(eb.val(passwordHash), 'password_hash'),
      first_name: eb.fn.coalesce(eb.val(firstName), 'first_name'),
      last_name: eb.fn.coalesce(eb.val(lastName), 'last_name'),
      phone: eb.fn.coalesce(eb.val(phone), 'phone'),
    }))
    .where('api_key', 'in', userOfTenant(db, owner).select('users.api_key'))
    .execute()
  return readUser(db, owner)
}

export const isUserOfTenant = async (db: Db, owner: Owner): Promise<boolean> =>
  (await userOfTenant(db, owner).select('users.api_key').executeTakeFirst()) !== undefined

/** Whose e-mail it is, however it is written, and what the password is checked against. */
export const findCredentials = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .select(['api_key as apiKey', 'password_hash as passwordHash'])
    .where('email_key', '=', sql<string>`lower(${email}::text collate "C")`)
    .executeTakeFirst()

/** Makes the user one of the application's, unless that is so already. */
export async function joinApplication(db: Db, { userApiKey, applicationId }: Owner): Promise<void> {
  await db
    .insertInto('user_applications')
    .values({ user_api_key: userApiKey, application_id: applicationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Puts another hash of the same password in the place of one, unless the password was changed meanwhile. */
export async function replaceHash(
  db: Db,
  userApiKey: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: to })
    .where('api_key', '=', userApiKey)
    .where('password_hash', '=', from)
    .execute()
}

/** The user with cards and addresses, oldest first; undefined when there is none for this application. */
export function readUser(db: Db, owner: Owner): Promise<User | undefined> {
  return userOfTenant(db, owner)
    .select((eb) => [
      'users.api_key as apiKey',
      'users.email',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.phone',
      addressesOfUser(eb).as('savedAddresses'),
      cardsOfUser(eb).as('creditCards'),
    ])
    .executeTakeFirst()
}
