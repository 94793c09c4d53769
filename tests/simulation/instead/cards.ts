export * from '../../../services/accounts/src/store/cards.ts'
import type * as real from '../../../services/accounts/src/store/cards.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

export const saveCard: typeof real.saveCard = (_db, userApiKey, card) =>
  statement(`save card ${card.apiKey.slice(0, 4)}`, () => {
    const { cards } = simulation().database
    if (!cards.has(card.apiKey)) cards.set(card.apiKey, { ...card, userApiKey })
  })
