import { Cents } from '@platter/contracts'
import { z } from 'zod'
import type { ReadCharge, ReadDispute, ReadRefund } from '#/domain/charge-after-sale.ts'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { Id, Word, type BalanceTransaction, type Period } from '#/outside/processor.ts'
import type { StripeClient } from '#/outside/stripe-client.ts'
import { failedOf, Intent, ORDER, REFUND, refundStateOf } from '#/outside/stripe-responses.ts'

const Refund = z.object({
  id: Id,
  amount: Cents,
  status: Word.nullable(),
  created: z.int(),
  metadata: z.record(z.string(), z.string()).nullish(),
})
const Dispute = z.object({
  id: Id,
  amount: Cents,
  reason: Word,
  status: Word,
  created: z.int(),
  is_charge_refundable: z.boolean().optional(),
  evidence_details: z.object({ due_by: z.int().nullish() }).nullish(),
  /** The withdrawal of the amount, and its return. */
  balance_transactions: z.array(z.object({ amount: z.int() })).default([]),
})
/**
 * The source of a balance transaction: a charge, refund or dispute. Each contains its intent; a charge has the metadata of its
 * intent.
 */
const Source = z.object({
  payment_intent: Id.nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
})
const StripeTransaction = z.object({
  id: Id,
  type: Word,
  amount: z.int(),
  fee: z.int(),
  created: z.int(),
  source: z.union([z.string(), Source]).nullable(),
})

/** A refund or dispute has some kilobytes, and the evidence of a dispute at most 150,000 characters. */
const LIMIT = 50
/** Balance transactions with their sources are below RESPONSE_BYTES. */
const BALANCE_TRANSACTIONS_LIMIT = 25

/** Reads the refunds and disputes of an intent. */
export async function readCharge(
  client: StripeClient,
  id: string,
): Promise<ProcessorResult<{ charge: ReadCharge | null }>> {
  const intent = await client.send(Intent, (stripe) => stripe.paymentIntents.retrieve(id)).catch(unlessAbsent)
  if (!intent) return { kind: 'yes', charge: null }
  const query = { payment_intent: id, limit: LIMIT }
  const [refunds, disputes] = await Promise.all([
    client.list(Refund, (stripe, position) => stripe.refunds.list({ ...query, ...position })),
    client.list(Dispute, (stripe, position) => stripe.disputes.list({ ...query, ...position })),
  ])
  const charge = {
    id,
    reference: intent.metadata[ORDER] ?? null,
    refunds: refunds.map(toRefund),
    disputes: disputes.map(toDispute),
  }
  return { kind: 'yes', charge }
}

/** Returns null for an object that Stripe does not have. */
export function unlessAbsent(error: unknown): null {
  const failed = failedOf(error)
  if (failed.result.kind === 'no') return null
  throw failed
}

/** Reads a page of balance transactions. */
export async function readBalanceTransactions(client: StripeClient, { from, to, after }: Period) {
  const query = { created: { gte: from, lt: to }, limit: BALANCE_TRANSACTIONS_LIMIT, expand: ['data.source'] }
  const page = await client.page(StripeTransaction, after, (stripe, position) =>
    stripe.balanceTransactions.list({ ...query, ...position }),
  )
  const balanceTransactions = page.items.flatMap((one) => toBalanceTransaction(one) ?? [])
  return { kind: 'yes' as const, balanceTransactions, after: page.after }
}

function toRefund({ id, amount, status, created: at, metadata }: z.output<typeof Refund>): ReadRefund {
  return { id, key: metadata?.[REFUND] ?? null, amount, state: refundStateOf(status), at }
}

/**
 * An inquiry (`warning_…`) needs a response like a dispute, but moves no money; a closed inquiry cost nothing. A prevented dispute was
 * blocked, or the network has returned the amount to the customer. An appeal is open again.
 */
const ENDED: Readonly<Record<string, 'won' | 'lost'>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'won',
  prevented: 'won',
}

function toDispute(dispute: z.output<typeof Dispute>): ReadDispute {
  const { id, amount, reason, status, created: at, evidence_details: evidence } = dispute
  const { is_charge_refundable: isRefundable } = dispute
  const respondBy = evidence?.due_by ?? null
  const isReturned = dispute.balance_transactions.reduce((sum, one) => sum + one.amount, 0) < 0
  const state = status === 'prevented' && isReturned ? 'lost' : (ENDED[status] ?? 'open')
  return { id, state, amount, reason, at, respondBy, isRefundable }
}

/** docs.stripe.com/reports/balance-transaction-types. A failed refund returns as `refund_failure` or `payment_failure_refund`. */
const KINDS: Readonly<Record<string, BalanceTransaction['kind']>> = {
  charge: 'payment',
  payment: 'payment',
  refund: 'refund',
  payment_refund: 'refund',
  refund_failure: 'refund',
  payment_failure_refund: 'refund',
  stripe_fee: 'fee',
}

/** Returns null for a balance transaction that belongs to no sale, such as a payout. */
function toBalanceTransaction(one: z.output<typeof StripeTransaction>): BalanceTransaction | null {
  const { id, type, amount, fee, created: at } = one
  const source = typeof one.source === 'object' ? one.source : null
  const intent = source?.payment_intent
  const isDispute = type === 'adjustment' && typeof intent === 'string'
  const kind = isDispute ? (amount < 0 ? 'dispute' : 'dispute-reversal') : KINDS[type]
  if (kind === undefined) return null
  if (kind === 'fee') return { id, kind, charge: null, reference: null, amount: 0, fee: -amount, at }
  if (!intent) return null
  return { id, kind, charge: intent, reference: source.metadata?.[ORDER] ?? null, amount, fee, at }
}
