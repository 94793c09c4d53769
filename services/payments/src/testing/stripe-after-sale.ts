import { listOf, newId, type Params } from '#/testing/stripe-objects.ts'

type NewRefund = {
  amount: number
  currency: string
  payment_intent: string
  charge: string
  metadata?: Record<string, string> | undefined
}
type Refund = Omit<NewRefund, 'metadata'> & {
  id: string
  object: 'refund'
  metadata: Record<string, string>
  status: string
  created: number
}
type Dispute = {
  id: string
  object: 'dispute'
  payment_intent: string
  amount: number
  reason: string
  status: string
  created: number
  evidence_details: { due_by: number }
}
type Movement = { type: string; amount: number; source: { payment_intent: string | null } }

const now = () => Math.floor(Date.now() / 1_000)

/** Refunds, disputes and balance transactions of Stripe's state. */
export class AfterSale {
  readonly #refunds: Refund[] = []
  readonly #disputes: Dispute[] = []
  readonly #movements: (Movement & { id: string; object: string; fee: number; created: number })[] = []

  addRefund({ metadata = {}, ...refund }: NewRefund): Refund {
    const made: Refund = {
      id: newId('re'),
      object: 'refund',
      ...refund,
      metadata,
      status: 'succeeded',
      created: now(),
    }
    this.#refunds.push(made)
    this.#move({ type: 'refund', amount: -made.amount, source: made })
    return structuredClone(made)
  }

  /** Fails refunds, as a bank may do days later. */
  failRefunds(intent: string): void {
    const failed = this.#refunds.filter((one) => one.payment_intent === intent)
    for (const one of failed) {
      one.status = 'failed'
      this.#move({ type: 'refund_failure', amount: one.amount, source: one })
    }
  }

  /** Opens a dispute, as a bank does. */
  addDispute(intent: string, amount: number): Dispute {
    const dispute: Dispute = {
      id: newId('dp'),
      object: 'dispute',
      payment_intent: intent,
      amount,
      reason: 'product_not_received',
      status: 'needs_response',
      created: now(),
      evidence_details: { due_by: now() + 604_800 },
    }
    this.#disputes.push(dispute)
    this.#move({ type: 'adjustment', amount: -amount, source: dispute })
    return dispute
  }

  addMovement(movement: Movement): void {
    this.#move(movement)
  }

  refundsOf({ payment_intent: intent, ...page }: Params<'refunds'>) {
    const all = this.#refunds.filter((one) => one.payment_intent === intent)
    return listOf('/v1/refunds', all, page)
  }

  disputesOf({ payment_intent: intent, ...page }: Params<'disputes'>) {
    const all = this.#disputes.filter((one) => one.payment_intent === intent)
    return listOf('/v1/disputes', all, page)
  }

  movementsOf(page: Params<'movements'>) {
    return listOf('/v1/balance_transactions', this.#movements, page)
  }

  #move(movement: Movement): void {
    this.#movements.push({
      id: newId('txn'),
      object: 'balance_transaction',
      fee: 0,
      created: now(),
      ...movement,
    })
  }
}
