import type { z } from 'zod'
import type { PARAMETERS } from '#/testing/stripe-parameters.ts'

type Params<K extends keyof typeof PARAMETERS> = z.output<(typeof PARAMETERS)[K]>

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
const list = <T>(url: string, data: T[], more = false) => ({ object: 'list', url, data, has_more: more })

/** Refunds, disputes and balance transactions of Stripe's state. */
export class AfterSale {
  readonly #refunds: Refund[] = []
  readonly #disputes: Dispute[] = []
  readonly #movements: (Movement & { id: string; object: string; fee: number; created: number })[] = []
  #count = 0

  addRefund({ metadata = {}, ...refund }: NewRefund): Refund {
    const id = this.#newId('re')
    const made: Refund = { id, object: 'refund', ...refund, metadata, status: 'succeeded', created: now() }
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
      id: this.#newId('dp'),
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

  refundsOf({ payment_intent: intent, limit = 10 }: Params<'refunds'>) {
    const all = this.#refunds.filter((one) => one.payment_intent === intent).toReversed()
    return structuredClone(list('/v1/refunds', all.slice(0, limit), all.length > limit))
  }

  disputesOf({ payment_intent: intent, limit = 10 }: Params<'disputes'>) {
    const all = this.#disputes.filter((one) => one.payment_intent === intent).toReversed()
    return structuredClone(list('/v1/disputes', all.slice(0, limit), all.length > limit))
  }

  movementsOf({ created, limit = 10, starting_after: after }: Params<'movements'>) {
    const all = this.#movements
      .filter((one) => !created || (one.created >= created.gte && one.created < created.lt))
      .toReversed()
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const data = all.slice(from, from + limit)
    return structuredClone(list('/v1/balance_transactions', data, all.length > from + limit))
  }

  #move(movement: Movement): void {
    const id = this.#newId('txn')
    this.#movements.push({ id, object: 'balance_transaction', fee: 0, created: now(), ...movement })
  }

  #newId(prefix: string): string {
    this.#count += 1
    return `${prefix}_${String(this.#count).padStart(14, '0')}`
  }
}
