import { Tokenize, type CardUser, type NewCard } from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'

export type Tokenizer = (
  card: NewCard,
  by: CardUser,
  context: RequestContext,
) => Promise<{ token: string; brand: string; lastFour: string }>

/** Exchanges a new card's number for a token, over HTTP and in memory only, before the order is stored. */
export const tokenizer =
  (call: ReturnType<typeof internalCaller>): Tokenizer =>
  (card, by, context) =>
    call(Tokenize, { ...card, cvv: card.cvv.reveal(), cardNumber: card.cardNumber.reveal(), by }, context)
