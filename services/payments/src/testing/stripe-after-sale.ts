import { listOf, newId, type Params } from '#/testing/stripe-objects.ts'

type NewRefund = {
  amount: number
  currency: string
  payment_intent: string
  charge: string
  metadata?: Record<string, string> | undefined
}
type BalanceTransaction = { type: string; amount: number; source: { payment_intent: string } }

const now = () => Math.floor(Date.now() / 1_000)

const newRefund = ({ metadata = {}, ...refund }: NewRefund) => ({
  id: newId('re'),
  object: 'refund',
  ...refund,
  metadata,
  status: 'succeeded',
  created: now(),
})

const newDispute = (payment_intent: string, amount: number) => ({
  id: newId('dp'),
  object: 'dispute',
  payment_intent,
  amount,
  reason: 'product_not_received',
  status: 'needs_response',
  created: now(),
  get is_charge_refundable() {
    return this.status.startsWith('warning_')
  },
  evidence_details: { due_by: now() + 604_800 },
  balance_transactions: [{ amount: -amount }],
})

/** Refunds, disputes and balance transactions of Stripe's state. */
export class AfterSale {
  readonly #refunds: ReturnType<typeof newRefund>[] = []
  readonly #disputes: ReturnType<typeof newDispute>[] = []
  readonly #balanceTransactions: (BalanceTransaction & {
    id: string
    object: string
    fee: number
    created: number
  })[] = []

  addRefund(refund: NewRefund) {
    const made = newRefund(refund)
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

  /** Sets the status of refunds without a balance transaction, as at the end of a pending one. */
  setRefunds(intent: string, status: 'pending' | 'succeeded'): void {
    for (const one of this.#refunds) if (one.payment_intent === intent) one.status = status
  }

  /** Opens a dispute, as a bank does. */
  addDispute(intent: string, amount: number) {
    const dispute = newDispute(intent, amount)
    this.#disputes.push(dispute)
    this.#move({ type: 'adjustment', amount: -amount, source: dispute })
    return dispute
  }

  /** Until the dispute is won, the bank has the amount. An inquiry moves no money, so its charge can be refunded. */
  isDisputed(intent: string): boolean {
    return this.#disputes.some(
      ({ payment_intent, status }) =>
        payment_intent === intent && status !== 'won' && !status.startsWith('warning_'),
    )
  }

  refundsOf({ payment_intent: intent, ...page }: Params<'refunds'>) {
    const all = this.#refunds.filter((one) => one.payment_intent === intent)
    return listOf('/v1/refunds', all, page)
  }

  disputesOf({ payment_intent: intent, ...page }: Params<'disputes'>) {
    const all = this.#disputes.filter((one) => one.payment_intent === intent)
    return listOf('/v1/disputes', all, page)
  }

  balanceTransactionsOf(page: Params<'balanceTransactions'>) {
    return listOf('/v1/balance_transactions', this.#balanceTransactions, page)
  }

  #move(balanceTransaction: BalanceTransaction): void {
    this.#balanceTransactions.push({
      id: newId('txn'),
      object: 'balance_transaction',
      fee: 0,
      created: now(),
      ...balanceTransaction,
    })
  }
}
