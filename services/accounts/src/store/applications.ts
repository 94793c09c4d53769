import { after, createdEpoch, createdMicroseconds, type Db, type Position } from '#/store/tables.ts'

export const insertApplication = (db: Db, application: { id: string; name: string }) =>
  db
    .insertInto('applications')
    .values(application)
    .returning(['id', 'name', createdEpoch.as('created')])
    .executeTakeFirstOrThrow()

/** Newest first. `before` is where the page before ended. */
export const listApplications = (db: Db, { before, limit }: { before: Position | null; limit: number }) =>
  db
    .selectFrom('applications')
    .select(['id', 'name', createdEpoch.as('created'), createdMicroseconds.as('at')])
    .where(after(before))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export async function isApplication(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('applications').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
