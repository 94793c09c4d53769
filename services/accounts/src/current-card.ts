import { hasExpired, type CardDetails, type TokenizedCard } from '@platter/contracts'
import type { Log } from '@platter/kit'
import type { CardStore } from '#/store/cards.ts'

type Deps = {
  cards: Pick<CardStore, 'setDetails'>
  /** Reads a card at the payment processor; null when it has no details. */
  readCard: (token: string) => Promise<CardDetails | null>
  log: Log
  /** Epoch milliseconds. */
  now?: () => number
}

export type CurrentCard = ReturnType<typeof currentCard>

/**
 * Returns the function that reads a saved card again when it has expired by its stored expiry. Its bank may have sent a new one, which
 * the processor charges under the same token. A card that cannot be read stays as it is stored, and its order is refused.
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
