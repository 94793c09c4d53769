import type { Db } from '#/store/database.ts'

/** Ends a transaction in which everything went well: nothing of it is to be kept. Never leaves the store. */
class OnlyValidated extends Error {}

/** Does the work in a transaction; when it is only to be validated, it is done in full and then taken back. */
export async function inTransaction(
  db: Db,
  { validateOnly }: { validateOnly: boolean },
  work: (trx: Db) => Promise<void>,
): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await work(trx)
      if (validateOnly) throw new OnlyValidated()
    })
  } catch (error) {
    if (!(error instanceof OnlyValidated)) throw error
  }
}
