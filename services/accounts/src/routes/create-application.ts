import { CreateApplication } from '@platter/contracts'
import { newApiKey, type Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { insertApplication } from '#/store/applications.ts'
import type { Db } from '#/store/tables.ts'

export function createApplication(db: Db): Handler<typeof CreateApplication> {
  const { execute } = idempotent(db, CreateApplication)
  return (call) => execute(call, (trx) => insertApplication(trx, { id: newApiKey(), name: call.body.name }))
}
