import type { Refusal } from '@platter/contracts'
import { Problem, type Db } from '@platter/kit'
import { sql, type RawBuilder } from 'kysely'
import { USER_NOT_FOUND } from '#/domain/refusals.ts'
import { isOwner, isUser, type Owner } from '#/store/tenant-user.ts'

/** The statements on the table of these records. A removed row keeps its apiKey, so that `insert` finds it (migrations/0003). */
type Statements<Shown, Stored> = {
  list(userApiKey: string): Promise<Shown[]>
  lock(userApiKey: string, apiKey: string): Promise<Shown | undefined>
  /** Inserts the record unless its apiKey already exists. */
  insert(userApiKey: string, record: Stored): Promise<unknown>
  erase(apiKey: string): Promise<unknown>
}

type Kind<Shown, Stored> = {
  max: number
  full: Refusal
  notFound: Refusal
  statements: (db: Db) => Statements<Shown, Stored>
  /** Returns whether the record differs from all saved ones and must be saved. */
  isNew: (record: Stored, saved: readonly Shown[]) => boolean
}

/** Returns the operations on saved records of users, of one kind: cards or addresses. `db` is a connection or a transaction. */
export function savedRecords<Shown, Stored>(
  db: Db,
  { max, full, notFound, statements, isNew }: Kind<Shown, Stored>,
) {
  return {
    /** Adds a record, in the caller's transaction. Throws a Problem for an unknown user, and if the account is full. */
    async add(owner: Owner, record: Stored): Promise<void> {
      if (!(await lockUser(db, isOwner(owner)))) throw Problem.refusal(USER_NOT_FOUND)
      const table = statements(db)
      if ((await table.list(owner.userApiKey)).length >= max) throw Problem.refusal(full)
      await table.insert(owner.userApiKey, record)
    },

    /**
     * Removes a record and returns it, in the caller's transaction. Throws a Problem for an unknown user or record. Of two concurrent
     * removals, the second finds no record.
     */
    async remove(owner: Owner, apiKey: string): Promise<Shown> {
      if (!(await isUser(db, owner))) throw Problem.refusal(USER_NOT_FOUND)
      const table = statements(db)
      const record = await table.lock(owner.userApiKey, apiKey)
      if (!record) throw Problem.refusal(notFound)
      await table.erase(apiKey)
      return record
    },

    /** Saves a record of an order, unless an equal record is saved or the account is full. Repeating it changes nothing. */
    async save(userApiKey: string, record: Stored): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const isLocked = await lockUser(trx, sql`api_key = ${userApiKey}`)
        if (!isLocked) throw new Error(`user ${userApiKey} does not exist`)
        const table = statements(trx)
        if (isNew(record, await table.list(userApiKey))) await table.insert(userApiKey, record)
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
