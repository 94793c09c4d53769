import { CreateApplication } from '@platter/contracts'
import { newApiKey, type Handler } from '@platter/kit'
import { keptOnce } from '@platter/kit/postgres/kept-once'
import { insertApplication } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

export function createApplication(db: Db): Handler<typeof CreateApplication> {
  const { once } = keptOnce(db, CreateApplication)
  return (call) => once(call, (trx) => insertApplication(trx, { id: newApiKey(), name: call.body.name }))
}
