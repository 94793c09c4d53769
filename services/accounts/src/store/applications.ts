import { createdEpoch, type Db } from './tables.ts'

export const insertApplication = (db: Db, application: { id: string; name: string }) =>
  db
    .insertInto('applications')
    .values(application)
    .returning(['id', 'name', createdEpoch.as('created')])
    .executeTakeFirstOrThrow()
