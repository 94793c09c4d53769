import type { Applications } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { page } from '#/page.ts'
import type { ApplicationStore } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

type Deps = { db: Db; applications: (db: Db) => Pick<ApplicationStore, 'list'> }

export const listApplications =
  ({ db, applications }: Deps): Handler<typeof Applications> =>
  (call) =>
    page(call, (range) => applications(db).list(range))
