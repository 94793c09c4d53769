import type { Refusal } from '@platter/contracts'
import { Problem, type Db } from '@platter/kit'
import { sql, type RawBuilder } from 'kysely'
import { tooManySaved, USER_NOT_FOUND } from '#/domain/refusals.ts'
import { isOwner, isUser, type Owner } from '#/store/tenant-user.ts'

/** The statements that change the table of these records. A removed row keeps its apiKey, so that `insert` finds it (migrations/0003). */
type Changes<Stored> = {
  /** Inserts the record unless its apiKey already exists. */
  insert(userApiKey: string, record: Stored): Promise<unknown>
  erase(apiKey: string): Promise<unknown>
}

type Kind<Shown, Stored> = {
  name: 'cards' | 'addresses'
  max: number
  notFound: Refusal
  /** Selects the records from their table, without a condition. */
  select: RawBuilder<Shown>
  changes: (db: Db) => Changes<Stored>
  /** Returns whether the record differs from all saved ones and must be saved. */
  isNew: (record: Stored, saved: readonly Shown[]) => boolean
}

/** Returns the operations on saved records of users, of one kind: cards or addresses. `db` is a connection or a transaction. */
export function savedRecords<Shown, Stored>(
  db: Db,
  { name, max, notFound, select, changes, isNew }: Kind<Shown, Stored>,
) {
  async function list(on: Db, userApiKey: string): Promise<Shown[]> {
    const { rows } = await sql<Shown>`${select} where user_api_key = ${userApiKey}`.execute(on)
    return rows
  }

  async function requireCapacity({ userApiKey }: Owner): Promise<void> {
    if ((await list(db, userApiKey)).length >= max) throw Problem.refusal(tooManySaved(name, max))
  }

  return {
    /** Throws the Problem that `add` would throw now. Only `add` decides, because it checks again under a lock. */
    async checkCapacity(owner: Owner): Promise<void> {
      if (!(await isUser(db, owner))) throw Problem.refusal(USER_NOT_FOUND)
      await requireCapacity(owner)
    },

    /** Adds a record, in the caller's transaction. Throws a Problem for an unknown user, and if the account is full. */
    async add(owner: Owner, record: Stored): Promise<void> {
      if (!(await lockUser(db, isOwner(owner)))) throw Problem.refusal(USER_NOT_FOUND)
      await requireCapacity(owner)
      await changes(db).insert(owner.userApiKey, record)
    },

    /**
     * Removes a record and returns it, in the caller's transaction. Throws a Problem for an unknown user or record. Of two concurrent
     * removals, the second finds no record.
     */
    async remove(owner: Owner, apiKey: string): Promise<Shown> {
      if (!(await isUser(db, owner))) throw Problem.refusal(USER_NOT_FOUND)
      const { rows } = await sql<Shown>`
        ${select} where user_api_key = ${owner.userApiKey} and api_key = ${apiKey} for update`.execute(db)
      if (!rows[0]) throw Problem.refusal(notFound)
      await changes(db).erase(apiKey)
      return rows[0]
    },

    /** Saves a record of an order, unless an equal record is saved or the account is full. Repeating it changes nothing. */
    async save(userApiKey: string, record: Stored): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const isLocked = await lockUser(trx, sql`api_key = ${userApiKey}`)
        if (!isLocked) throw new Error(`user ${userApiKey} does not exist`)
        if (isNew(record, await list(trx, userApiKey))) await changes(trx).insert(userApiKey, record)
      })
    },
  }
}

/**
 * Locks the user's row, if it exists, before the user's records are read. Otherwise two concurrent additions would both use the last
 * free place. A later statement reads the records, because the locking statement does not see rows that were committed while it
 * waited. FOR NO KEY UPDATE does not block foreign keys to the row.
 */
async function lockUser(db: Db, isWanted: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`select api_key from users where ${isWanted} for no key update`.execute(db)
  return rows.length > 0
}
