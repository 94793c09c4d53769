import { fileURLToPath } from 'node:url'
import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { postgresAuthorizations, type AuthorizationStore } from '#/store/authorizations.ts'
import { postgresChargeMirrors, type ChargeMirrorStore } from '#/store/charge-mirrors.ts'
import { postgresPaymentRecords, type PaymentRecordStore } from '#/store/payment-records.ts'

type PaymentStores = {
  postgres: Postgres
  authorizations: AuthorizationStore
  records: PaymentRecordStore
  mirrors: ChargeMirrorStore
}

/** Returns the stores of payments over a new, empty database; the caller closes `postgres`. */
export async function newPaymentStores(databaseUrl: string): Promise<PaymentStores> {
  const log = createLog('test', 'fatal')
  const postgres = connectPostgres(databaseUrl, 4, log)
  await migrate(postgres.db, fileURLToPath(new URL('../../migrations', import.meta.url)), log)
  return {
    postgres,
    authorizations: postgresAuthorizations(postgres.db),
    records: postgresPaymentRecords(postgres.db),
    mirrors: postgresChargeMirrors(postgres.db),
  }
}
