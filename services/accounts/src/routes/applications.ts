import type { Applications } from '@platter/contracts'
import { page, type Handler, type Db } from '@platter/kit'
import type { ApplicationStore } from '#/store/applications.ts'
import { Position, positionOf } from '#/store/tables.ts'

type Deps = { db: Db; applications: (db: Db) => Pick<ApplicationStore, 'list'> }

export const listApplications =
  ({ db, applications }: Deps): Handler<typeof Applications> =>
  (call) =>
    page(call, Position, (range) => applications(db).list(range), positionOf)
