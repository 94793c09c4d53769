import {
  DetachCard,
  ReadCard,
  requestTimes,
  revealedCard,
  Tokenize,
  type CardDetails,
  type CardUser,
  type NewCard,
} from '@platter/contracts'
import {
  internalCaller,
  newRequestId,
  type InternalSecrets,
  type RequestContext,
  type Replicas,
} from '@platter/kit'

/**
 * Exchanges a card for the processor's token. Number and cvv leave this process in no other way. Throws the Problem of payments.
 * The exchange may be repeated, because an unused token has no effect.
 */
export function tokenizer(replicas: Replicas, secrets: InternalSecrets) {
  const call = internalCaller({ service: 'accounts', secrets, replicas, timeoutMs: requestTimes.tokenize })
  return (card: NewCard, by: CardUser, context: RequestContext) =>
    call(Tokenize, { ...revealedCard(card), by }, context)
}
export type Tokenizer = ReturnType<typeof tokenizer>

/** Detaches a removed card at the payment processor. Rejects if the outcome is unknown; then it may be repeated. */
export function detacher(replicas: Replicas, secrets: InternalSecrets) {
  const call = internalCaller({ service: 'accounts', secrets, replicas, timeoutMs: requestTimes.tokenize })
  return async (token: string): Promise<void> => {
    await call(DetachCard, { token }, { requestId: newRequestId() })
  }
}

/** Reads a saved card's details at the payment processor; null if it has none. Rejects if the result is unknown. */
export function cardReader(replicas: Replicas, secrets: InternalSecrets) {
  const call = internalCaller({ service: 'accounts', secrets, replicas, timeoutMs: requestTimes.readCard })
  return async (token: string): Promise<CardDetails | null> =>
    (await call(ReadCard, { token }, { requestId: newRequestId() })).card
}
