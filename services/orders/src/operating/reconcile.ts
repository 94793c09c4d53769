import {
  CHARGES_AT_ONCE,
  FindCharges,
  ReadCharges,
  ReadPaymentRows,
  type Charge,
  type Mismatch,
  type PaymentRow,
  type ReconciliationCounts,
} from '@platter/contracts'
import type { internalCaller, RequestContext } from '@platter/kit'
import type { OrderDispute } from '#/domain/refund.ts'
import { compareOrder, compareStrayCharge, orphanedPayment, isFulfilled } from '#/domain/reconciliation.ts'
import type * as stored from '#/store/reconciliation.ts'
import type { Stores } from '#/store/stores.ts'

export type Deps = Pick<Stores, 'reconciliation'> & { payments: ReturnType<typeof internalCaller> }

/**
 * The position of a reconciliation. Orders up to `after` are compared (in microseconds), and charges before `from` are read (in
 * seconds, like `until`).
 */
export type Position = { after: stored.Position; from: number; until: number }

export type Reconciled = {
  counts: ReconciliationCounts
  mismatches: Mismatch[]
  disputes: { orderApiKey: string; dispute: OrderDispute }[]
  /** The position of the next page; null at the end. */
  next: Position | null
}

const BATCH = 250
/** The last batch may take as long again with a slow processor; the timeout of the gateway is 12 s. */
const BUDGET_MS = 4_000
/** More mismatches than an operator can handle. */
export const MAX_MISMATCHES = 1_000
/** A charge is created shortly after its order; a later charge is looked up by its order. */
const CHARGED_WITHIN_SECONDS = 3

/**
 * Compares orders, payments, charges and deliveries in batches, oldest first, within the time budget. At most two batches are in
 * memory. Throws Problem payment-unavailable if the processor's charges cannot be read.
 */
export async function reconcile(deps: Deps, start: Position, context: RequestContext): Promise<Reconciled> {
  const run = new Run(deps, start, context)
  const end = performance.now() + BUDGET_MS
  let more = true
  while (more && performance.now() < end && run.mismatches.length < MAX_MISMATCHES) more = await run.batch()
  await run.compareStrayCharges()
  const { counts, mismatches, disputes, position } = run
  const next = more ? position : null
  return { counts: { ...counts, mismatches: mismatches.length }, mismatches, disputes, next }
}

/**
 * A disputed charge stays captured at the processor, which refuses its refund: the charge of payments counts as refunded, and a second
 * one does not. The dispute is listed, and what it left to the customer is the incident `failed-refund`.
 */
const withDispute = (charge: Charge, dispute: OrderDispute | null, payment: PaymentRow | null): Charge =>
  dispute && dispute.state !== 'WON' && charge.id === payment?.processorId
    ? { ...charge, status: 'refunded' }
    : charge

class Run {
  readonly #deps: Deps
  readonly #context: RequestContext
  position: Position
  readonly mismatches: Mismatch[] = []
  readonly disputes: Reconciled['disputes'] = []
  readonly counts = {
    orders: 0,
    inProgress: 0,
    charged: 0,
    payments: 0,
    charges: 0,
    deliveries: 0,
    refunds: 0,
    mismatches: 0,
  }
  /** Charges whose orders were in no batch yet. */
  #unclaimed: Charge[] = []

  constructor(deps: Deps, start: Position, context: RequestContext) {
    this.#deps = deps
    this.position = start
    this.#context = context
  }

  /** Compares the next batch. Returns false after the last one. */
  async batch(): Promise<boolean> {
    const { after, from, until } = this.position
    const found = await this.#deps.reconciliation.readOrders({ after, until, limit: BATCH })
    const last = found.length < BATCH ? undefined : found.at(-1)
    const to = last ? Math.min(until, Math.floor(last.at / 1_000_000) + CHARGED_WITHIN_SECONDS) : until
    const keys = new Set(found.map(({ apiKey }) => apiKey))
    const time = { from, to: Math.max(from, to) }
    const [rows, charges] = await Promise.all([this.#rows([...keys], time), this.#charges(time)])
    const claimed = await this.#claimed(
      rows.filter(({ orderApiKey }) => keys.has(orderApiKey)),
      [...this.#unclaimed, ...charges].filter(({ reference }) => keys.has(reference)),
    )
    await this.#compare(found, rows, claimed)
    await this.#compareForeign(rows.filter(({ orderApiKey }) => !keys.has(orderApiKey)))
    // The orders of charges that remained from the previous batch can only be in this batch.
    this.#unclaimed = this.#unclaimed.filter(({ reference }) => !keys.has(reference))
    await this.compareStrayCharges()
    this.#unclaimed = charges.filter(({ reference }) => !keys.has(reference))
    this.counts.charges += charges.length
    this.position = { after: last ? { at: last.at, id: last.id } : after, from: time.to, until }
    return last !== undefined
  }

  async #rows(orderApiKeys: string[], time: { from: number; to: number }): Promise<PaymentRow[]> {
    const { payments } = this.#deps
    return (await payments(ReadPaymentRows, { orderApiKeys, ...time }, this.#context)).rows
  }

  async #charges(time: { from: number; to: number }): Promise<Charge[]> {
    const all: Charge[] = []
    let after: string | null = null
    do {
      const page: { charges: Charge[]; after: string | null } = await this.#deps.payments(
        ReadCharges,
        { ...time, after },
        this.#context,
      )
      all.push(...page.charges)
      after = page.after
    } while (after !== null)
    return all
  }

  /** Returns the charges of the batch's orders. A charge of another time is looked up by the row of payments. */
  async #claimed(rows: readonly PaymentRow[], charges: readonly Charge[]): Promise<Charge[]> {
    const there = new Map(charges.map((charge) => [charge.id, charge]))
    const missing = rows.filter(({ processorId }) => processorId !== null && !there.has(processorId))
    for (let at = 0; at < missing.length; at += CHARGES_AT_ONCE) {
      const orderApiKeys = missing.slice(at, at + CHARGES_AT_ONCE).map(({ orderApiKey }) => orderApiKey)
      const found = await this.#deps.payments(FindCharges, { orderApiKeys }, this.#context)
      for (const charge of found.charges) there.set(charge.id, charge)
    }
    return [...there.values()]
  }

  async #compare(
    found: readonly stored.StoredOrder[],
    rows: readonly PaymentRow[],
    charges: readonly Charge[],
  ): Promise<void> {
    const rowOf = new Map(rows.map((row) => [row.orderApiKey, row]))
    const chargesOf = Map.groupBy(charges, ({ reference }) => reference)
    const suspects = new Map<string, { version: number; mismatches: Mismatch[] }>()
    found.forEach((one) => this.#count(one))
    for (const order of found.filter(({ running }) => !running)) {
      const { apiKey, delivery, version, dispute } = order
      const payment = rowOf.get(apiKey) ?? null
      const listed = chargesOf.get(apiKey) ?? []
      const mismatches = compareOrder(order, {
        payment,
        charges: order.cancelled ? listed.map((one) => withDispute(one, dispute, payment)) : listed,
        delivery,
      })
      if (mismatches.length > 0) suspects.set(apiKey, { version, mismatches })
      if (payment) this.counts.payments += 1
      if (delivery === 'accepted') this.counts.deliveries += 1
      if (isFulfilled(order) && order.payment === 'card' && !order.test) this.counts.charged += 1
    }
    await this.#confirm(suspects)
  }

  #count({ apiKey, refunded, paymentState, dispute, running }: stored.StoredOrder): void {
    this.counts.orders += 1
    if (running) this.counts.inProgress += 1
    if (refunded > 0 || paymentState === 'REFUNDED') this.counts.refunds += 1
    if (dispute) this.disputes.push({ orderApiKey: apiKey, dispute })
  }

  /**
   * Drops mismatches of orders whose saga has changed in the meantime, because the books are not read from one snapshot. Such an
   * order counts as in progress.
   */
  async #confirm(suspects: ReadonlyMap<string, { version: number; mismatches: Mismatch[] }>): Promise<void> {
    if (suspects.size === 0) return
    const now = await this.#deps.reconciliation.versionsOf([...suspects.keys()])
    for (const [apiKey, { version, mismatches }] of suspects) {
      if (now.get(apiKey)?.version === version) this.mismatches.push(...mismatches)
      else this.counts.inProgress += 1
    }
  }

  /** Compares rows of the batch's time whose order is not in the batch. */
  async #compareForeign(rows: readonly PaymentRow[]): Promise<void> {
    if (rows.length === 0) return
    const known = await this.#deps.reconciliation.versionsOf(rows.map(({ orderApiKey }) => orderApiKey))
    this.mismatches.push(...rows.filter(({ orderApiKey }) => !known.has(orderApiKey)).map(orphanedPayment))
  }

  /** Compares the charges without an order of their time. */
  async compareStrayCharges(): Promise<void> {
    const strays = this.#unclaimed
    this.#unclaimed = []
    if (strays.length === 0) return
    const keys = [...new Set(strays.map(({ reference }) => reference))]
    const known = await this.#deps.reconciliation.versionsOf(keys)
    const rows: PaymentRow[] = []
    for (let at = 0; at < keys.length; at += BATCH)
      rows.push(...(await this.#rows(keys.slice(at, at + BATCH), { from: 0, to: 0 })))
    const rowOf = new Map(rows.map((row) => [row.orderApiKey, row]))
    for (const charge of strays) {
      const order = known.get(charge.reference)
      if (order?.running) continue
      this.mismatches.push(
        ...compareStrayCharge(charge, rowOf.get(charge.reference) ?? null, order !== undefined),
      )
    }
  }
}
