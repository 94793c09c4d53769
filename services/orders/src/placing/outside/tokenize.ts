import { revealedCard, Tokenize, type CardUser, type NewCard } from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'
import type { z } from 'zod'

export type Tokenizer = (
  card: NewCard,
  by: CardUser,
  context: RequestContext,
) => Promise<z.output<typeof Tokenize.response>>

/** Exchanges a new card's number, or its token of the processor, for the token that is charged, over HTTP and in memory only, before the order is stored. */
export const tokenizer =
  (call: ReturnType<typeof internalCaller>): Tokenizer =>
  (card, by, context) =>
    call(Tokenize, { ...revealedCard(card), by }, context)
