import type {
  Address,
  Authentication,
  Cents,
  QuoteQuestion,
  Refusal,
  TokenizedCard,
} from '@platter/contracts'

/** An address with the apiKey under which it is saved. */
export type SavedAddress = Address & { apiKey: string }

/** The data of an order for its steps, immutable after commit 1. */
export type SendOrderFacts = {
  total: Cents
  /** The processor's token of the card to charge; null for an order that is not charged (cash, test, a total of 0). */
  token: string | null
  /** The user for whom the new card and the new address are saved; null for a guest. */
  userApiKey: string | null
  newCard: TokenizedCard | null
  newAddress: SavedAddress | null
  /**
   * For a client that can redirect its customer to the bank: the authentication, and the question for the check of the order after
   * it.
   */
  authentication?: Authentication
  recheck?: QuoteQuestion
  /** Shown on the customer's card statement. Absent in sagas of the previous version. */
  restaurantName?: string
  /** The time from commit 1 until send-order responds at the latest. Absent in sagas of the previous version. */
  respondWithinMs?: number
}

/** The stored progress of a saga: completed steps, compensated steps, the refusal that caused the compensation, pending refunds. */
export type State = {
  done: string[]
  undone: string[]
  refusal: Refusal | null
  /** Refunds without a result, oldest first; absent for most orders. */
  refunds?: PendingRefund[]
  /** Absent, unless the bank has requested the customer's authentication. */
  challenge?: { expires: number }
  /** The version of the processor's state that is set in the order; absent for most orders. */
  mirrored?: number
}

export type PendingRefund = { apiKey: string; amount: Cents }

export const fresh: State = { done: [], undone: [], refusal: null }

/** Returns a saga before commit 1 of its order. */
export const newSaga = (given: Pick<Saga, 'orderApiKey' | 'requestId' | 'facts'>): Saga => ({
  ...given,
  version: 0,
  attempt: 1,
  state: fresh,
  isFinished: false,
})

export type Saga = {
  orderApiKey: string
  /** The request that began it. */
  requestId: string
  /** Every transition increments it. A save applies only to the version that was loaded. */
  version: number
  /** The number of times that the command of this version was published. */
  attempt: number
  facts: SendOrderFacts
  state: State
  isFinished: boolean
}
