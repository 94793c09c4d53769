import { AddCard } from '@platter/contracts'
import { clientAddress, newApiKey, Problem, type Handler } from '@platter/kit'
import { expiryFaults } from '#/domain/expiry.ts'
import { NO_ROOM_FOR_CARD } from '#/domain/room.ts'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import type { Tokenizer } from '#/outside/payments.ts'
import { addCard as add, roomForCard } from '#/store/cards.ts'
import type { Own } from '#/store/tables.ts'

/** docs/specification.md, "Endpoints". What is refused anyway is refused before the processor is asked for a token. */
export function addCard(own: Own, tokenize: Tokenizer): Handler<typeof AddCard> {
  const { replay, execute } = idempotent((call) => own(call.principal.applicationId), AddCard)
  return async (call) => {
    const replayed = await replay(call)
    if (replayed) return replayed
    const { params, body, principal, headers } = call
    const owner = { userApiKey: params.apiKey, applicationId: principal.applicationId }
    const room = await roomForCard(own(owner.applicationId), owner)
    if (room !== 'free') throw Problem.refusal(NO_ROOM_FOR_CARD[room])
    const faults = expiryFaults(body, Date.now())
    if (faults.length > 0) throw Problem.of(faults)

    const { token, brand, lastFour } = await tokenize(
      body,
      { ...owner, address: clientAddress(headers) },
      call,
    )
    const { cvv: _cvv, cardNumber: _cardNumber, nickname = null, ...holder } = body
    return execute(call, async (trx) => {
      const card = { apiKey: newApiKey(), nickname, ...holder, lastFour, brand }
      const outcome = await add(trx, owner, { ...card, token })
      if (outcome !== 'added') throw Problem.refusal(NO_ROOM_FOR_CARD[outcome])
      return card
    })
  }
}
