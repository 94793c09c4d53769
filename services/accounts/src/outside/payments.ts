import { requestTimes, revealedCard, Tokenize, type CardUser, type NewCard } from '@platter/contracts'
import { internalCaller, type InternalSecrets, type RequestContext, type Replicas } from '@platter/kit'

/**
 * Exchanges a card for the processor's token: the only way on which number and cvv leave this process. Throws the Problem of
 * payments. The exchange may be repeated: an unused token has no effect.
 */
export function tokenizer(replicas: Replicas, secrets: InternalSecrets) {
  const call = internalCaller({ service: 'accounts', secrets, replicas, timeoutMs: requestTimes.tokenize })
  return (card: NewCard, by: CardUser, context: RequestContext) =>
    call(Tokenize, { ...revealedCard(card), by }, context)
}
export type Tokenizer = ReturnType<typeof tokenizer>
