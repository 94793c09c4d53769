import type { Address, Cents, Refusal, TokenizedCard } from '@platter/contracts'

/** An address with the apiKey that it is saved under. */
export type SavedAddress = Address & { apiKey: string }

/** What the steps of send-order need of an order, frozen when it was accepted. */
export type SendOrderFacts = {
  total: Cents
  /** The processor's token of the card to be charged; null for cash, a test order and a total of 0, which are never charged. */
  token: string | null
  /** Whom the new card and the new address are saved for; null for a guest. */
  userApiKey: string | null
  newCard: TokenizedCard | null
  newAddress: SavedAddress | null
  /** Epoch seconds. From then on send-order answers with the order, decided or not. Absent in sagas of the version before. */
  answeredBy?: number
}

/** The stored progress of a saga: completed steps, those of them that are compensated, and why it goes backward. */
export type State = { done: string[]; undone: string[]; refusal: Refusal | null }

export const fresh: State = { done: [], undone: [], refusal: null }

/** A saga before the acceptance of its order. */
export const newSaga = (orderApiKey: string, facts: SendOrderFacts): Saga => ({
  orderApiKey,
  version: 0,
  attempt: 1,
  facts,
  state: fresh,
  isFinished: false,
})

/** A saga as a transition reads and changes it. */
export type Saga = {
  orderApiKey: string
  /** Every transition raises it; a save applies to the version that was loaded, or not at all. */
  version: number
  /** How often the command of this version was published. */
  attempt: number
  facts: SendOrderFacts
  state: State
  isFinished: boolean
}
