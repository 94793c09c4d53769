import type { ApplicationAccessKeys } from '@platter/contracts'
import { page, Problem, type Handler, type Db } from '@platter/kit'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'
import type { ApplicationStore } from '#/store/applications.ts'
import { Position, positionOf } from '#/store/tables.ts'

type Deps = {
  db: Db
  applications: (db: Db) => Pick<ApplicationStore, 'exists'>
  accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'list'>
}

export const applicationAccessKeys =
  ({ db, applications, accessKeyRecords }: Deps): Handler<typeof ApplicationAccessKeys> =>
  async (call) => {
    const { id: applicationId } = call.params
    if (!(await applications(db).exists(applicationId))) throw new Problem('application-not-found')
    return page(
      call,
      Position,
      (range) => accessKeyRecords(db).list({ kind: 'application', applicationId }, range),
      positionOf,
    )
  }
