import { CreateApplication } from '@platter/contracts'
import { newApiKey, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { ApplicationStore } from '#/store/applications.ts'

type Deps = { db: Db; applications: (db: Db) => Pick<ApplicationStore, 'insert'> }

export function createApplication({ db, applications }: Deps): Handler<typeof CreateApplication> {
  const { execute } = idempotent(db, CreateApplication)
  return (call) => execute(call, (trx) => applications(trx).insert({ id: newApiKey(), name: call.body.name }))
}
