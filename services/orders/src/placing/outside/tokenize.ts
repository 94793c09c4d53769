import { revealedCard, Tokenize, type CardUser, type NewCard } from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'
import type { z } from 'zod'

export type Tokenizer = (
  card: NewCard,
  by: CardUser,
  context: RequestContext,
) => Promise<z.output<typeof Tokenize.response>>

/**
 * Exchanges a new card's number, or its processor token, for the token that is charged. It uses HTTP and memory only, and runs
 * before the order is stored.
 */
export const tokenizer =
  (call: ReturnType<typeof internalCaller>): Tokenizer =>
  (card, by, context) =>
    call(Tokenize, { ...revealedCard(card), by }, context)
