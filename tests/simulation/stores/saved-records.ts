import type { AddressStore } from '../../../services/accounts/src/store/addresses.ts'
import type { CardStore } from '../../../services/accounts/src/store/cards.ts'
import { statement } from '../database.ts'
import { simulation } from '../simulation.ts'

/** The saved cards, in the simulated database. */
export const cards: Pick<CardStore, 'save'> = {
  save: (userApiKey, card) =>
    statement(`save card ${card.apiKey.slice(0, 4)}`, () => {
      const saved = simulation().database.cards
      if (!saved.has(card.apiKey)) saved.set(card.apiKey, { ...card, userApiKey })
    }),
}

export const addresses: Pick<AddressStore, 'save'> = {
  save: () => {
    throw new Error('no order of the simulation has a new address')
  },
}
