import type { Applications } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { pageOf, positionOf } from '#/paging.ts'
import { listApplications as list } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

export const listApplications =
  (db: Db): Handler<typeof Applications> =>
  async (call) => {
    const { limit, cursor } = call.query
    return pageOf(call, await list(db, { before: positionOf(cursor), limit: limit + 1 }))
  }
