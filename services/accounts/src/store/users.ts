import type { User } from '@platter/contracts'
import { sql } from 'kysely'
import { addressesOfUser } from '#/store/addresses.ts'
import { cardsOfUser } from '#/store/cards.ts'
import type { Db } from '#/store/tables.ts'
import { userOfTenant, type Owner } from '#/store/tenant-user.ts'

type NewUser = {
  apiKey: string
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  phone: string
}

/** The changed fields; an absent field stays unchanged. */
type UserChanges = {
  [Field in 'passwordHash' | 'firstName' | 'lastName' | 'phone']?: string | undefined
}

export type UserStore = ReturnType<typeof postgresUsers>

export const postgresUsers = (db: Db) => ({
  insert: (user: NewUser, applicationId: string) => insert(db, user, applicationId),

  /** Changes the user and returns the result; undefined if the application has no such user. */
  async update(owner: Owner, changes: UserChanges): Promise<User | undefined> {
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
    return find(db, owner)
  },

  async isUser(owner: Owner): Promise<boolean> {
    return (await userOfTenant(db, owner).select('users.api_key').executeTakeFirst()) !== undefined
  },

  /** Returns the user of an e-mail address, in any case of its letters. */
  findCredentials: (email: string) =>
    db
      .selectFrom('users')
      .select(['api_key as apiKey', 'password_hash as passwordHash'])
      .where('email_key', '=', sql<string>`lower(${email}::text collate "C")`)
      .executeTakeFirst(),

  /** Makes the user a user of the application. */
  async joinApplication({ userApiKey, applicationId }: Owner): Promise<void> {
    await db
      .insertInto('user_applications')
      .values({ user_api_key: userApiKey, application_id: applicationId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  /** Replaces a hash by another hash of the same password, unless the password was changed in the meantime. */
  async replaceHash(userApiKey: string, { from, to }: { from: string; to: string }): Promise<void> {
    await db
      .updateTable('users')
      .set({ password_hash: to })
      .where('api_key', '=', userApiKey)
      .where('password_hash', '=', from)
      .execute()
  },

  find: (owner: Owner) => find(db, owner),
})

/** Stores the user as a user of the application. Returns false and stores nothing if the e-mail address is already registered. */
async function insert(
  db: Db,
  { apiKey, email, passwordHash, firstName, lastName, phone }: NewUser,
  applicationId: string,
): Promise<boolean> {
  const inserted = await db
    .with('fresh', (cte) =>
      cte
        .insertInto('users')
        .values({
          api_key: apiKey,
          email,
          password_hash: passwordHash,
          first_name: firstName,
          last_name: lastName,
          phone,
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

/** Returns the user with cards and addresses, oldest first; undefined if the application has no such user. */
const find = (db: Db, owner: Owner): Promise<User | undefined> =>
  userOfTenant(db, owner)
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
