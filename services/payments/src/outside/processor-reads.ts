import type { ReadCharge } from '#/domain/charge-after-sale.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'

/** A change of the balance at the processor. `amount` is positive for arriving money. `fee` is the processor's fee. */
export type Movement = {
  id: string
  kind: 'payment' | 'refund' | 'dispute' | 'dispute-reversal' | 'fee'
  /** The id of the authorization; null for a movement without one. */
  charge: string | null
  /** The order; null if the processor does not report it. */
  reference: string | null
  amount: number
  fee: number
  at: number
}

export type MovementPage = { movements: Movement[]; after: string | null }

/** From `from` to before `to` in epoch seconds. `after`: the cursor of a page in it; null for the first page. */
export type Period = { from: number; to: number; after: string | null }

/** Reads of a payment processor that move no money. No method rejects. */
export type ProcessorReads = {
  /** Returns null for an id that is unknown to the processor. */
  charge(id: string): Promise<ProcessorResult<{ charge: ReadCharge | null }>>
  /** Returns the id of the authorization of a charge, for events with only the charge; null for another sale. */
  authorizationOf(chargeId: string): Promise<ProcessorResult<{ id: string | null }>>
  /** Returns the movements in a period; `after` is the cursor of the next page. */
  movements(period: Period): Promise<ProcessorResult<MovementPage>>
}
