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

/** Returns the requests to payments. Each throws the Problem of payments, or rejects if the outcome is unknown. */
export function createPaymentsClient(replicas: Replicas, secrets: InternalSecrets) {
  const callWithin = (timeoutMs: number) =>
    internalCaller({ service: 'accounts', secrets, replicas, timeoutMs })
  const call = callWithin(requestTimes.tokenize)
  const callToRead = callWithin(requestTimes.readCard)
  return {
    /**
     * Exchanges a card for the processor's token. Number and cvv leave this process in no other way. The exchange may be repeated,
     * because an unused token has no effect.
     */
    tokenize: (card: NewCard, by: CardUser, context: RequestContext) =>
      call(Tokenize, { ...revealedCard(card), by }, context),

    /** Detaches a removed card at the payment processor. May be repeated. */
    detach: async (token: string): Promise<void> =>
      void (await call(DetachCard, { token }, { requestId: newRequestId() })),

    /** Reads a saved card's details at the payment processor; null if it has none. */
    readCard: async (token: string): Promise<CardDetails | null> =>
      (await callToRead(ReadCard, { token }, { requestId: newRequestId() })).card,
  }
}

export type PaymentsClient = ReturnType<typeof createPaymentsClient>
