import type { OperatorAccessKeys } from '@platter/contracts'
import { page, type Handler, type Db } from '@platter/kit'
import type { AccessKeyRecordStore } from '#/store/access-key-records.ts'
import { Position, positionOf } from '#/store/tables.ts'

type Deps = { db: Db; accessKeyRecords: (db: Db) => Pick<AccessKeyRecordStore, 'list'> }

export const operatorAccessKeys =
  ({ db, accessKeyRecords }: Deps): Handler<typeof OperatorAccessKeys> =>
  (call) =>
    page(call, Position, (range) => accessKeyRecords(db).list({ kind: 'operator' }, range), positionOf)
