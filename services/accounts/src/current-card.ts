import { hasExpired, type CardDetails, type TokenizedCard } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { CardStore } from '#/store/cards.ts'

type Deps = {
  cards: Pick<CardStore, 'setDetails'>
  /** Returns a card's details at the payment processor; null if it has none. */
  readCard: (token: string) => Promise<CardDetails | null>
  log: Log
  /** Epoch milliseconds. */
  now?: () => number
}

export type CurrentCard = ReturnType<typeof currentCard>

/**
 * Returns the function that reads a saved card again when its stored expiry has passed. The bank may have issued a new card, which
 * the processor charges under the same token. A card that cannot be read stays unchanged, and its order is refused.
 */
export const currentCard =
  ({ cards, readCard, log, now = Date.now }: Deps) =>
  async (card: TokenizedCard): Promise<TokenizedCard> => {
    if (!hasExpired(card, now())) return card
    const details = await readCard(card.token).catch((error: unknown) => {
      log.warn({ err: error }, 'an expired card could not be read at the processor')
      return null
    })
    if (!details || hasExpired(details, now())) return card
    await cards.setDetails(card.token, details)
    return { ...card, ...details }
  }
