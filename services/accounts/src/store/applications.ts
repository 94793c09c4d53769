import type { Applications } from '@platter/contracts'
import type { z } from 'zod'
import { after, createdEpoch, createdMicroseconds, type Db, type Range } from '#/store/tables.ts'

type Application = z.output<typeof Applications.response>[number]

export type ApplicationStore = ReturnType<typeof postgresApplications>

export const postgresApplications = (db: Db) => ({
  insert: (application: { id: string; name: string }): Promise<Application> =>
    db
      .insertInto('applications')
      .values(application)
      .returning(['id', 'name', createdEpoch.as('created')])
      .executeTakeFirstOrThrow(),

  /** Newest first. */
  list: ({ before, limit }: Range): Promise<(Application & { at: number })[]> =>
    db
      .selectFrom('applications')
      .select(['id', 'name', createdEpoch.as('created'), createdMicroseconds.as('at')])
      .where(after(before))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),

  async exists(id: string): Promise<boolean> {
    const row = await db.selectFrom('applications').select('id').where('id', '=', id).executeTakeFirst()
    return row !== undefined
  },
})
