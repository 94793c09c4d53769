import type { CreateApplication } from '@platter/contracts'
import { newApiKey, type Handler } from '@platter/kit'
import { insertApplication } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

export const createApplication =
  (db: Db): Handler<typeof CreateApplication> =>
  ({ body }) =>
    insertApplication(db, { id: newApiKey(), name: body.name })
