import { RemoveAddress } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { ADDRESS_NOT_REMOVED } from '#/domain/refusals.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { removeAddress as remove } from '#/store/addresses.ts'
import type { Own } from '#/store/tables.ts'

/** Orders have a copy of the address that they went to: they go on showing it. */
export function removeAddress(own: Own): Handler<typeof RemoveAddress> {
  const { execute } = idempotent((call) => own(call.principal.applicationId), RemoveAddress)
  return (call) =>
    execute(call, async (trx) => {
      const { apiKey: userApiKey, addressApiKey } = call.params
      const owner = { userApiKey, applicationId: call.principal.applicationId }
      const removed = await remove(trx, owner, addressApiKey)
      if (typeof removed === 'string') throw Problem.refusal(ADDRESS_NOT_REMOVED[removed])
      return removed
    })
}
