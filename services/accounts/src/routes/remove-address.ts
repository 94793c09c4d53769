import { RemoveAddress } from '@platter/contracts'
import type { Handler, Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { AddressStore } from '#/store/addresses.ts'
import type { TenantDb } from '#/store/tables.ts'
import { ownerOf } from '#/store/tenant-user.ts'

type Deps = { tenantDb: TenantDb; addresses: (db: Db) => AddressStore }

/** Existing orders keep their own copy of the address. */
export function removeAddress({ tenantDb, addresses }: Deps): Handler<typeof RemoveAddress> {
  const { execute } = idempotent((call) => tenantDb(call.principal.applicationId), RemoveAddress)
  return (call) => execute(call, (trx) => addresses(trx).remove(ownerOf(call), call.params.addressApiKey))
}
