import type { AddCard } from '@platter/contracts'
import { newApiKey, Problem, type Handler } from '@platter/kit'
import { expiryFaults } from '#/domain/expiry.ts'
import { NO_ROOM_FOR_CARD } from '#/domain/room.ts'
import type { Tokenizer } from '#/outside/payments.ts'
import { addCard as add, roomForCard } from '#/store/cards.ts'
import type { Db } from '#/store/tables.ts'

/** Specification 4.2. What is refused anyway is refused before the processor is asked for a token. */
export const addCard =
  (db: Db, tokenize: Tokenizer): Handler<typeof AddCard> =>
  async ({ params, body, principal, requestId }) => {
    const owner = { userApiKey: params.apiKey, applicationId: principal.applicationId }
    const room = await roomForCard(db, owner)
    if (room !== 'free') throw Problem.refusal(NO_ROOM_FOR_CARD[room])
    const faults = expiryFaults(body, Date.now())
    if (faults.length > 0) throw Problem.of(faults)

    const { token, brand, lastFour } = await tokenize(body, requestId)
    const { cvv: _cvv, cardNumber: _cardNumber, nickname = null, ...holder } = body
    const card = { apiKey: newApiKey(), nickname, ...holder, lastFour, brand }
    const outcome = await add(db, owner, { ...card, token })
    if (outcome !== 'added') throw Problem.refusal(NO_ROOM_FOR_CARD[outcome])
    return card
  }
