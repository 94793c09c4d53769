import { RemoveCard } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { CARD_NOT_REMOVED } from '#/domain/refusals.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { removeCard as remove } from '#/store/cards.ts'
import type { Own } from '#/store/tables.ts'

/** Orders have a copy of the card that they were placed with: they go on showing it. */
export function removeCard(own: Own): Handler<typeof RemoveCard> {
  const { execute } = idempotent((call) => own(call.principal.applicationId), RemoveCard)
  return (call) =>
    execute(call, async (trx) => {
      const { apiKey: userApiKey, cardApiKey } = call.params
      const owner = { userApiKey, applicationId: call.principal.applicationId }
      const removed = await remove(trx, owner, cardApiKey)
      if (typeof removed === 'string') throw Problem.refusal(CARD_NOT_REMOVED[removed])
      return removed
    })
}
