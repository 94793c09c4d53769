import type { AccountsSetCard } from '@platter/contracts'
import type { z } from 'zod'
import type { CardStore } from '#/store/cards.ts'

type Deps = { cards: Pick<CardStore, 'setDetails'> }

/**
 * Stores the new details of a saved card that its bank has replaced. A lost message is harmless: the card is read again when its
 * stored expiry has passed (`current-card.ts`).
 */
export const setCard =
  ({ cards }: Deps) =>
  ({ token, ...details }: z.output<typeof AccountsSetCard.data>): Promise<void> =>
    cards.setDetails(token, details)
