import { RemoveCard } from '@platter/contracts'
import type { Handler, Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { CardStore } from '#/store/cards.ts'
import type { TenantDb } from '#/store/tables.ts'
import { ownerOf } from '#/store/tenant-user.ts'

type Deps = { tenantDb: TenantDb; cards: (db: Db) => CardStore }

/** Existing orders keep their own copy of the card. */
export function removeCard({ tenantDb, cards }: Deps): Handler<typeof RemoveCard> {
  const { execute } = idempotent((call) => tenantDb(call.principal.applicationId), RemoveCard)
  return (call) => execute(call, (trx) => cards(trx).remove(ownerOf(call), call.params.cardApiKey))
}
