import type { Applications } from '@platter/contracts'
import type { z } from 'zod'
import { after, createdEpoch, createdMicroseconds, type Db, type Range } from '#/store/tables.ts'

type Application = z.output<typeof Applications.response>[number]

export type ApplicationStore = {
  insert(application: { id: string; name: string }): Promise<Application>
  /** Newest first. */
  list(range: Range): Promise<(Application & { at: number })[]>
  exists(id: string): Promise<boolean>
}

export const postgresApplications = (db: Db): ApplicationStore => ({
  insert: (application) =>
    db
      .insertInto('applications')
      .values(application)
      .returning(['id', 'name', createdEpoch.as('created')])
      .executeTakeFirstOrThrow(),

  list: ({ before, limit }) =>
    db
      .selectFrom('applications')
      .select(['id', 'name', createdEpoch.as('created'), createdMicroseconds.as('at')])
      .where(after(before))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  async exists(id) {
    const row = await db.selectFrom('applications').select('id').where('id', '=', id).executeTakeFirst()
    return row !== undefined
  },
})
