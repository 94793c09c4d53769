import type {
  Address,
  Authentication,
  Cents,
  QuoteQuestion,
  Refusal,
  TokenizedCard,
} from '@platter/contracts'

/** An address with the apiKey that it is saved under. */
export type SavedAddress = Address & { apiKey: string }

/** The data of an order for its steps, immutable after its acceptance. */
export type SendOrderFacts = {
  total: Cents
  /** The processor's token of the card to be charged; null for an order that is not charged (cash, test, a total of 0). */
  token: string | null
  /** The user for whom the new card and the new address are saved; null for a guest. */
  userApiKey: string | null
  newCard: TokenizedCard | null
  newAddress: SavedAddress | null
  /** For a client that can send its customer to the bank, with the question by which the order is checked again afterwards. */
  authentication?: Authentication
  recheck?: QuoteQuestion
  /** Appears on the customer's statement. Absent in sagas of the previous version. */
  restaurantName?: string
  /** Epoch seconds. Send-order has responded by then. Absent in sagas of the previous version. */
  answeredBy?: number
}

/** The stored progress of a saga: completed steps, compensated steps, the refusal that it compensates for, pending refunds. */
export type State = {
  done: string[]
  undone: string[]
  refusal: Refusal | null
  /** Refunds without a result, oldest first; absent for most orders. */
  refunds?: PendingRefund[]
  /** Absent, unless the bank has asked for the customer. */
  challenge?: { expires: number }
  /** The version of the picture of the processor that is set in the order; absent for most orders. */
  mirrored?: number
}

export type PendingRefund = { apiKey: string; amount: Cents }

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

/** The part of a saga that transitions read and change. */
export type Saga = {
  orderApiKey: string
  /** Every transition increments it; a save applies only to the version that was loaded. */
  version: number
  /** How often the command of this version was published. */
  attempt: number
  facts: SendOrderFacts
  state: State
  isFinished: boolean
}
