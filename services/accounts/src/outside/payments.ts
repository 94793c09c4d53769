import { Tokenize, type CardUser, type NewCard } from '@platter/contracts'
import { internalCaller, type InternalSecrets, type Replicas } from '@platter/kit'

/** Payments asks the processor meanwhile; the gateway waits for 12 s. */
const ANSWER_WITHIN_MS = 8_000

/**
 * Exchanges a card for the processor's token: the one way on which number and cvv leave this process. Throws
 * the Problem of payments. A token that is not kept in the end is of no use to anybody, so it may be asked again.
 */
export function tokenizer(replicas: Replicas, secrets: InternalSecrets) {
  const call = internalCaller({ service: 'accounts', secrets, replicas, timeoutMs: ANSWER_WITHIN_MS })
  return (card: NewCard, by: CardUser, requestId: string) =>
    call(Tokenize, { ...card, cvv: card.cvv.reveal(), cardNumber: card.cardNumber.reveal(), by }, requestId)
}
export type Tokenizer = ReturnType<typeof tokenizer>
