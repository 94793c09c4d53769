import type { Address, Cents, OrderStatus, PaymentState, Refusal, TokenizedCard } from '@platter/contracts'

/** An address with the apiKey that it is saved under. */
export type SavedAddress = Address & { apiKey: string }

/** What the steps of send-order need to know of an order, frozen when it was accepted. */
export type SendOrderFacts = {
  total: Cents
  /** The processor's token of the card to be charged; null for cash, a test order and a total of 0, which are never charged. */
  token: string | null
  /** Whom the new card and the new address are saved for; null for a guest. */
  userApiKey: string | null
  newCard: TokenizedCard | null
  newAddress: SavedAddress | null
}

/** All that a saga remembers: which steps are done, which of those undone again, and why it goes back. */
export type State = { done: string[]; undone: string[]; refusal: Refusal | null }

export const fresh: State = { done: [], undone: [], refusal: null }

/** What a step changes on the order when it is done (or undone), in the same commit as the saga's row. */
export type Change = { status?: OrderStatus; paymentState?: PaymentState }
