import type { User } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { sql } from 'kysely'
import { addressesOfUser } from '#/store/addresses.ts'
import { cardsOfUser } from '#/store/cards.ts'
import { isOwner, isUser, type Owner } from '#/store/tenant-user.ts'

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
  /** Stores the user as a user of the application. Returns false and stores nothing if the e-mail address is already registered. */
  async insert(user: NewUser, applicationId: string): Promise<boolean> {
    const { numAffectedRows } = await sql`
      with fresh as (
        insert into users (api_key, email, password_hash, first_name, last_name, phone)
        values (${user.apiKey}, ${user.email}, ${user.passwordHash}, ${user.firstName}, ${user.lastName}, ${user.phone})
        on conflict (email_key) do nothing returning api_key)
      insert into user_applications (user_api_key, application_id)
      select api_key, ${applicationId}::text from fresh`.execute(db)
    return numAffectedRows === 1n
  },

  /** Changes the user and returns the result; undefined if the application has no such user. */
  async update(owner: Owner, changes: UserChanges): Promise<User | undefined> {
    const { passwordHash = null, firstName = null, lastName = null, phone = null } = changes
    await sql`
      update users set password_hash = coalesce(${passwordHash}, password_hash),
        first_name = coalesce(${firstName}, first_name), last_name = coalesce(${lastName}, last_name),
        phone = coalesce(${phone}, phone)
      where ${isOwner(owner)}`.execute(db)
    return find(db, owner)
  },

  isUser: (owner: Owner) => isUser(db, owner),

  /** Returns the user of an e-mail address, in any case of its letters. */
  async findCredentials(email: string): Promise<{ apiKey: string; passwordHash: string } | undefined> {
    const { rows } = await sql<{ apiKey: string; passwordHash: string }>`
      select api_key as "apiKey", password_hash as "passwordHash" from users
      where email_key = lower(${email}::text collate "C")`.execute(db)
    return rows[0]
  },

  /** Makes the user a user of the application. */
  async joinApplication({ userApiKey, applicationId }: Owner): Promise<void> {
    await sql`
      insert into user_applications (user_api_key, application_id) values (${userApiKey}, ${applicationId})
      on conflict do nothing`.execute(db)
  },

  /** Replaces a hash by another hash of the same password, unless the password was changed in the meantime. */
  async replaceHash(userApiKey: string, { from, to }: { from: string; to: string }): Promise<void> {
    await sql`
      update users set password_hash = ${to}
      where api_key = ${userApiKey} and password_hash = ${from}`.execute(db)
  },

  find: (owner: Owner) => find(db, owner),
})

/** Returns the user with cards and addresses, oldest first; undefined if the application has no such user. */
async function find(db: Db, owner: Owner): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select users.api_key as "apiKey", users.email, users.first_name as "firstName", users.last_name as "lastName",
      users.phone, ${addressesOfUser} as "savedAddresses", ${cardsOfUser} as "creditCards"
    from users where ${isOwner(owner)}`.execute(db)
  return rows[0]
}
