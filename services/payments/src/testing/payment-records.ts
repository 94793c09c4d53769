import { migratedDatabase } from '@platter/testkit'
import { postgresAuthorizations } from '#/store/authorizations.ts'
import { postgresChargeMirrors } from '#/store/charge-mirrors.ts'
import { postgresPaymentRecords } from '#/store/payment-records.ts'

/** Returns the stores of payments over a new, empty database for the tests of a file. */
export async function newPaymentStores() {
  const postgres = await migratedDatabase('payments', 4)
  return {
    postgres,
    authorizations: postgresAuthorizations(postgres.db),
    records: postgresPaymentRecords(postgres.db),
    mirrors: postgresChargeMirrors(postgres.db),
  }
}
