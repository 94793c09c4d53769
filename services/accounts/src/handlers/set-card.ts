import type { AccountsSetCard } from '@platter/contracts'
import type { z } from 'zod'
import type { CardStore } from '#/store/cards.ts'

type Deps = { cards: Pick<CardStore, 'setDetails'> }

/** The bank of a saved card has replaced it. A lost message is made up for when the old card has expired (`current-card.ts`). */
export const setCard =
  ({ cards }: Deps) =>
  ({ token, ...details }: z.output<typeof AccountsSetCard.data>): Promise<void> =>
    cards.setDetails(token, details)
