import { cents, type Cents } from '@platter/contracts'

/** Times in epoch seconds. `key`: the idempotency key of Platter's own refund; null for a refund that was made at the processor. */
export type ReadRefund = {
  id: string
  key: string | null
  amount: Cents
  state: 'pending' | 'done' | 'failed'
  at: number
}

export type ReadDispute = {
  id: string
  state: 'open' | 'won' | 'lost'
  amount: Cents
  reason: string
  at: number
  /** Null if no response is possible. */
  respondBy: number | null
  /** False if the processor refuses refunds of the charge. An inquiry moves no money, so its charge is refundable. */
  isRefundable?: boolean | undefined
}

/** A charge with all its refunds and disputes. */
export type ReadCharge = {
  id: string
  /** The order; null for another sale of the account. */
  reference: string | null
  refunds: readonly ReadRefund[]
  disputes: readonly ReadDispute[]
}

/** The states of refunds and disputes in messages and responses. */
export const REFUND_STATES = { pending: 'PENDING', done: 'DONE', failed: 'FAILED' } as const
export const DISPUTE_STATES = { open: 'OPEN', won: 'WON', lost: 'LOST' } as const

export const keysOf = (refunds: readonly ReadRefund[]): string[] => refunds.flatMap(({ key }) => key ?? [])

/**
 * Clears the keys without a row of a refund. Such a refund counts as made at the processor: it belongs to a release, or it is later
 * than the backup that was restored. Otherwise no book would count it, and its amount could be refunded again.
 */
export const withKnownKeys = (refunds: readonly ReadRefund[], known: ReadonlySet<string>): ReadRefund[] =>
  refunds.map((one) => (one.key === null || known.has(one.key) ? one : { ...one, key: null }))

/** Returns the refunds that were made at the processor, not by Platter. */
export const ofProcessor = (refunds: readonly ReadRefund[]): ReadRefund[] =>
  refunds.filter(({ key }) => key === null)

/** Returns the `apiKey`s of Platter's refunds that have failed. */
export const failedOwn = (refunds: readonly ReadRefund[]): string[] =>
  refunds.flatMap(({ key, state }) => (key !== null && state === 'failed' ? [key] : []))

/**
 * Returns the cents that were, or may still be, returned without Platter: refunds at the processor, and lost disputes. The bank has
 * returned the amount of a lost dispute, and the processor never refunds it.
 */
export function refundedElsewhere({ refunds, disputes }: Pick<ReadCharge, 'refunds' | 'disputes'>): Cents {
  const refunded = ofProcessor(refunds).filter(({ state }) => state !== 'failed')
  const lost = disputes.filter(({ state }) => state === 'lost')
  return sumOf([...refunded, ...lost])
}

const sumOf = (all: readonly { amount: Cents }[]): Cents =>
  cents(all.reduce((sum, { amount }) => sum + amount, 0))

/**
 * Returns the disputes of a charge as one: the open ones, otherwise the lost ones, otherwise the won ones. Its amount is their sum,
 * and its deadline is the earliest. `lost`: the sum of the lost ones. Any that was not won may prevent refunds.
 */
export function disputeOf(disputes: readonly ReadDispute[]): (ReadDispute & { lost: Cents }) | null {
  const byState = Map.groupBy(disputes, ({ state }) => state)
  const same = byState.get('open') ?? byState.get('lost') ?? disputes
  const [first] = same.toSorted((one, other) => (one.respondBy ?? Infinity) - (other.respondBy ?? Infinity))
  const isRefundable = disputes.every((one) => one.state === 'won' || one.isRefundable !== false)
  return first
    ? { ...first, amount: sumOf(same), lost: sumOf(byState.get('lost') ?? []), isRefundable }
    : null
}
