import { AddCard, expiryFaults, newCardRecord } from '@platter/contracts'
import { clientAddress, newApiKey, Problem, type Handler, type Db } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { PaymentsClient } from '#/outside/payments.ts'
import type { CardStore } from '#/store/cards.ts'
import type { TenantDb } from '#/store/tables.ts'
import { ownerOf } from '#/store/tenant-user.ts'

type Deps = { tenantDb: TenantDb; cards: (db: Db) => CardStore; tokenize: PaymentsClient['tokenize'] }

/** docs/specification.md, "Endpoints". All checks that need no token precede the tokenization, which calls the processor. */
export function addCard({ tenantDb, cards, tokenize }: Deps): Handler<typeof AddCard> {
  const { replay, execute } = idempotent((call) => tenantDb(call.principal.applicationId), AddCard)
  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { body, headers } = call
    const owner = ownerOf(call)
    await cards(tenantDb(owner.applicationId)).checkCapacity(owner)
    const faults = expiryFaults(body, ['/expirationMonth', '/expirationYear'], Date.now())
    if (faults.length > 0) throw Problem.of(faults)

    const user = { ...owner, address: clientAddress(headers) }
    const { token, ...known } = await tokenize(body, user, call)
    return execute(call, async (trx) => {
      const card = { apiKey: newApiKey(), ...newCardRecord(body, known) }
      await cards(trx).add(owner, { ...card, token })
      return card
    })
  }
}
