import { createHash } from 'node:crypto'
import type { Authorization } from './effects.ts'
import type { Entry } from './ledger.ts'

/** Amounts in cents, times in epoch seconds. `idempotencyKey` is null for a refund that was made in the dashboard. */
type Refund = {
  id: string
  idempotencyKey: string | null
  amount: number
  state: 'done' | 'failed'
  at: number
}
export type Dispute = {
  id: string
  state: 'open' | 'won' | 'lost'
  amount: number
  reason: string
  at: number
  respondBy: number
  isRefundable?: boolean | undefined
}
export type Details = Pick<Authorization, 'id' | 'reference' | 'amount' | 'refunded' | 'voided'> & {
  captured: number
  refunds: Refund[]
  disputes: Dispute[]
}

/** A change of the merchant's balance. `amount` is positive for arriving money; `fee` is the processor's fee. */
export type BalanceTransaction = {
  id: string
  kind: 'payment' | 'refund' | 'dispute' | 'dispute-reversal'
  reference: string
  /** The id of the authorization. */
  charge: string
  amount: number
  fee: number
  at: number
}

export const DASHBOARD = 'dashboard:'
const RESPOND_WITHIN_SECONDS = 7 * 24 * 3_600

/** 2.9 % and 30 cents: the price list of a common processor. */
const feeOf = (amount: number): number => Math.round(amount * 0.029) + 30

export const secondsOf = ({ at }: Entry): number => Math.floor(Date.parse(at) / 1_000)

/** Returns the identifier of an entry. Derived from the key, so that lines of older versions have one too. */
const digestOf = ({ idempotencyKey }: Entry): string =>
  createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 24)

export function detailsOf(one: Authorization): Details {
  const { id, reference, amount, captured, refunded, voided, entries } = one
  const standing = new Set(standingRefunds(entries))
  const refunds = entries.filter(isRefund).map((entry) => toRefund(entry, standing.has(entry)))
  const opened = entries.filter(({ kind, outcome }) => kind === 'dispute' && outcome === 'approved')
  const disputes = opened.flatMap((entry) => toDispute(entry, entries) ?? [])
  return { id, reference, amount, captured: captured ?? 0, refunded, voided, refunds, disputes }
}

export const disputeOf = (one: Authorization, id: string): Dispute | null =>
  detailsOf(one).disputes.find((dispute) => dispute.id === id) ?? null

const isRefund = ({ kind, outcome }: Entry): boolean => kind === 'refund' && outcome === 'approved'

/** Returns the refunds that have not failed, oldest first. */
export function standingRefunds(entries: readonly Entry[]): Entry[] {
  const failed = new Set(entries.map((one) => one.failed))
  return entries.filter((one) => isRefund(one) && !failed.has(one.idempotencyKey))
}

function toRefund(entry: Entry, isStanding: boolean): Refund {
  const { idempotencyKey: key, amount } = entry
  const idempotencyKey = key.startsWith(DASHBOARD) ? null : key
  return {
    id: `re_${digestOf(entry)}`,
    idempotencyKey,
    amount,
    state: isStanding ? 'done' : 'failed',
    at: secondsOf(entry),
  }
}

function toDispute(entry: Entry, entries: readonly Entry[]): Dispute | null {
  const { dispute, amount } = entry
  if (!dispute) return null
  const end = entries.find((one) => one.dispute?.id === dispute.id && one.outcome !== 'approved')
  const state = end?.outcome === 'won' || end?.outcome === 'lost' ? end.outcome : 'open'
  const at = secondsOf(entry)
  return { ...dispute, state, amount, at, respondBy: at + RESPOND_WITHIN_SECONDS }
}

/**
 * Returns the changes of the balance: a capture, a refund and its return if it fails, a dispute from its beginning, and its return
 * if it is won.
 */
export function effectsOf(entry: Entry): BalanceTransaction[] {
  const { kind, reference, amount, outcome, id: charge } = entry
  const at = secondsOf(entry)
  const balanceTransaction = { id: `txn_${digestOf(entry)}`, reference, charge, at }
  if (kind === 'capture') return [{ ...balanceTransaction, kind: 'payment', amount, fee: feeOf(amount) }]
  if (kind === 'refund')
    return [{ ...balanceTransaction, kind, amount: outcome === 'failed' ? amount : -amount, fee: 0 }]
  if (kind !== 'dispute' || outcome === 'lost') return []
  if (outcome === 'won') return [{ ...balanceTransaction, kind: 'dispute-reversal', amount, fee: 0 }]
  return [{ ...balanceTransaction, kind, amount: -amount, fee: 0 }]
}
