import type { OperatorAccessKeys } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { page } from '#/page.ts'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'
import type { Db } from '#/store/tables.ts'

type Deps = { db: Db; accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'list'> }

export const operatorAccessKeys =
  ({ db, accessKeyRecords }: Deps): Handler<typeof OperatorAccessKeys> =>
  (call) =>
    page(call, (range) => accessKeyRecords(db).list({ kind: 'operator' }, range))
