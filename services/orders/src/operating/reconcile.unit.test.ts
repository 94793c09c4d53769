import {
  cents,
  FindCharges,
  ReadCharges,
  ReadPaymentRows,
  type Charge,
  type PaymentRow,
} from '@platter/contracts'
import { createLog } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  MAX_MISMATCHES,
  reconcile,
  type Deps,
  type Position,
  type Reconciled,
} from '#/operating/reconcile.ts'
import { reconcileDaily } from '#/operating/reconcile-daily.ts'
import type { Stores } from '#/store/stores.ts'
import type { AlertStore } from '#/store/alerts.ts'
import type { StoredOrder } from '#/store/reconciliation.ts'

const AT = 1_790_000_000
/** More than two batches. */
const MANY = 600
const PAGE_SIZE = 100
const context = { requestId: 'q' }
const total = cents(1_075)

let orders: StoredOrder[]
let rows: (PaymentRow & { at: number })[]
let charges: (Charge & { at: number })[]
/** The orders whose sagas were saved after the read. */
let moved: Set<string>
/** The duration of each request to payments, in milliseconds. */
let requestMs: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  ;[orders, rows, charges, moved, requestMs] = [[], [], [], new Set(), 0]
})
afterEach(() => void vi.useRealTimers())

/** Adds a paid order, placed `second` seconds after `AT` and charged `chargedAfter` seconds later. */
function addPaidOrder(second: number, chargedAfter = 1): void {
  const apiKey = `o${second}`
  orders.push({
    apiKey,
    payment: 'card',
    test: false,
    total,
    refunded: cents(0),
    outcome: 'transmitted',
    cancelled: false,
    paymentState: 'CHARGED',
    delivery: 'accepted',
    at: (AT + second) * 1_000_000,
    id: second,
    version: 4,
    running: false,
    dispute: null,
  })
  const at = AT + second + chargedAfter
  rows.push({ orderApiKey: apiKey, state: 'captured', amount: total, processorId: `ch_${second}`, at })
  addCharge(apiKey, `ch_${second}`, at)
}

function addCharge(reference: string, id: string, at: number): void {
  charges.push({ id, reference, status: 'captured', amount: total, refunded: cents(0), at })
}

const isInPeriod = ({ at }: { at: number }, { from, to }: { from: number; to: number }) =>
  from <= at && at < to

const reconciliation: Partial<Stores['reconciliation']> = {
  readOrders: async ({ after, until, limit }) =>
    orders
      .filter(({ at, id }) => at > after.at || (at === after.at && id > after.id))
      .filter(({ at }) => at < until * 1_000_000)
      .slice(0, limit),
  versionsOf: async (apiKeys) =>
    new Map(
      orders
        .filter(({ apiKey }) => apiKeys.includes(apiKey))
        .map(({ apiKey, version, running }) => [
          apiKey,
          { version: moved.has(apiKey) ? version + 1 : version, running },
        ]),
    ),
}

type Body = { orderApiKeys: string[]; from: number; to: number; after: string | null }

/** The operations of payments. The processor lists its charges in pages. */
const responses: Record<string, (body: Body) => unknown> = {
  [ReadPaymentRows.name]: (body) => ({
    rows: rows.filter((row) => body.orderApiKeys.includes(row.orderApiKey) || isInPeriod(row, body)),
  }),
  [FindCharges.name]: ({ orderApiKeys }) => ({
    charges: charges.filter(({ reference }) => orderApiKeys.includes(reference)),
  }),
  [ReadCharges.name]({ after, ...period }) {
    const start = Number(after ?? 0)
    const found = charges.filter((charge) => isInPeriod(charge, period))
    const next = start + PAGE_SIZE
    return { charges: found.slice(start, next), after: next < found.length ? String(next) : null }
  },
}

const deps: Deps = {
  reconciliation: reconciliation as Stores['reconciliation'],
  payments: (async ({ name }: { name: string }, body: Body) => {
    vi.advanceTimersByTime(requestMs)
    return responses[name]?.(body)
  }) as unknown as Deps['payments'],
}

const start: Position = { after: { at: 0, id: 0 }, from: AT - 60, until: AT + MANY + 3_600 }
const rulesOf = ({ mismatches }: Reconciled) =>
  mismatches.map(({ orderApiKey, rule }) => `${orderApiKey} ${rule}`).toSorted()

test('consistent books of several batches have no mismatch, and each order and charge counts once', async () => {
  for (let second = 0; second < MANY; second += 1) addPaidOrder(second)
  const { counts, mismatches, next } = await reconcile(deps, start, context)
  expect({ mismatches, next }).toEqual({ mismatches: [], next: null })
  expect(counts).toMatchObject({
    orders: MANY,
    charged: MANY,
    payments: MANY,
    charges: MANY,
    deliveries: MANY,
    refunds: 0,
    inProgress: 0,
    mismatches: 0,
  })
})

test('orders that are not charged, and deliveries that were not accepted, are counted apart', async () => {
  for (let second = 0; second < 4; second += 1) addPaidOrder(second)
  const inCash = { payment: 'cash', paymentState: 'DUE' } as const
  const asTest = { test: true, paymentState: 'NOT_REQUIRED' } as const
  const failed = { outcome: 'failed', paymentState: 'VOIDED' } as const
  ;[inCash, asTest, failed].forEach((changes, at) => Object.assign(orders[at]!, changes))
  orders[2]!.delivery = 'refused'
  ;[rows, charges] = [rows.slice(3), charges.slice(3)]
  orders[3]!.refunded = cents(100)
  charges[0]!.refunded = cents(100)
  const { counts } = await reconcile(deps, start, context)
  expect(counts).toEqual({
    orders: 4,
    charged: 1,
    payments: 1,
    charges: 1,
    deliveries: 3,
    refunds: 1,
    inProgress: 0,
    mismatches: 0,
  })
})

/** Plants one mismatch of each kind, in different batches, and returns their rules. */
function plantMismatches(): string[] {
  for (let second = 0; second < MANY; second += 1) addPaidOrder(second)
  charges = charges.filter(({ reference }) => reference !== 'o30')
  addCharge('o280', 'ch_again', AT + 281)
  addCharge('gone', 'ch_gone', AT + 300)
  addCharge('o10', 'ch_late', AT + 400)
  rows.push({ orderApiKey: 'gone', state: 'captured', amount: total, processorId: null, at: AT + 590 })
  charges.sort((one, other) => one.at - other.at)
  return [
    'gone charge-without-order',
    'gone payment-without-order',
    'o10 charge-twice',
    'o280 charge-twice',
    'o30 charge-missing',
    'o30 payment-unknown-to-processor',
  ]
}

test('finds a missing charge, a second charge, and entries without an order, in any batch', async () => {
  const planted = plantMismatches()
  expect(rulesOf(await reconcile(deps, start, context))).toEqual(planted)
})

test('successive runs within a time budget compare each order once and find each mismatch once', async () => {
  const planted = plantMismatches()
  requestMs = 3_000
  const found: string[] = []
  let runs = 0
  let compared = 0
  for (let position: Position | null = start; position; runs += 1) {
    const run: Reconciled = await reconcile(deps, position, context)
    found.push(...rulesOf(run))
    compared += run.counts.orders
    position = run.next
  }
  expect(runs).toBeGreaterThan(1)
  expect(found.toSorted()).toEqual(planted)
  expect(compared).toBe(MANY)
})

test('an order whose saga runs, or has changed since it was read, counts as in progress', async () => {
  for (let second = 0; second < 3; second += 1) addPaidOrder(second)
  charges = []
  orders[0]!.running = true
  moved.add('o1')
  const result = await reconcile(deps, start, context)
  expect(result.counts).toMatchObject({ orders: 3, inProgress: 2 })
  expect(new Set(result.mismatches.map(({ orderApiKey }) => orderApiKey))).toEqual(new Set(['o2']))
})

test('a charge made 3,500 s after its order is found by its order', async () => {
  for (let second = 0; second < MANY; second += 1) addPaidOrder(second, second === 20 ? 3_500 : 1)
  expect(rulesOf(await reconcile(deps, start, context))).toEqual([])
})

test('a second charge of an order whose saga still runs is no mismatch yet', async () => {
  for (let second = 0; second < MANY; second += 1) addPaidOrder(second)
  orders[10]!.running = true
  addCharge('o10', 'ch_late', AT + 400)
  charges.sort((one, other) => one.at - other.at)
  expect(rulesOf(await reconcile(deps, start, context))).toEqual([])
})

test('an unavailable processor rejects the run, and no charge is reported as missing', async () => {
  addPaidOrder(0)
  const payments = (async () => {
    throw new Error('the processor is unavailable')
  }) as unknown as Deps['payments']
  await expect(reconcile({ ...deps, payments }, start, context)).rejects.toThrow(
    'the processor is unavailable',
  )
})

/** Cancels an order after its capture. */
function cancelPaidOrder(changes: Partial<StoredOrder> = {}): void {
  addPaidOrder(0)
  const [found] = orders
  orders[0] = { ...found!, ...changes, cancelled: true, paymentState: 'REFUNDED' }
  rows[0]!.state = 'refunded'
}

test('an order whose cancellation refunded its charge counts as an order with a refund', async () => {
  cancelPaidOrder()
  charges[0]!.status = 'refunded'
  const { counts, mismatches } = await reconcile(deps, start, context)
  expect({ refunds: counts.refunds, mismatches }).toEqual({ refunds: 1, mismatches: [] })
})

test('the charge of a cancelled order stays captured after a lost dispute, which is listed', async () => {
  cancelPaidOrder({ dispute: { state: 'LOST', amount: total, reason: 'fraudulent', respondBy: null } })
  const { disputes, mismatches } = await reconcile(deps, start, context)
  expect({ disputes: disputes.length, mismatches }).toEqual({ disputes: 1, mismatches: [] })
})

test('a lost dispute of a part is listed and no mismatch, because the processor refuses to refund the rest', async () => {
  cancelPaidOrder({ dispute: { state: 'LOST', amount: cents(300), reason: 'fraudulent', respondBy: null } })
  const { disputes, mismatches } = await reconcile(deps, start, context)
  expect({ disputes: disputes.length, mismatches }).toEqual({ disputes: 1, mismatches: [] })
})

test('the appeal of a lost dispute of a cancelled order is no mismatch, and its success is one', async () => {
  const dispute = { amount: total, reason: 'fraudulent', respondBy: null } as const
  cancelPaidOrder({ dispute: { ...dispute, state: 'OPEN' } })
  expect(rulesOf(await reconcile(deps, start, context))).toEqual([])
  orders[0]!.dispute = { ...dispute, state: 'WON' }
  expect(rulesOf(await reconcile(deps, start, context))).toContain('o0 charge-unwanted')
})

test('a second charge of a cancelled order is a mismatch, also after a lost dispute of the first one', async () => {
  cancelPaidOrder({ dispute: { state: 'LOST', amount: total, reason: 'fraudulent', respondBy: null } })
  charges.push({ ...charges[0]!, id: 'second' })
  expect(rulesOf(await reconcile(deps, start, context))).toContain('o0 charge-unwanted')
})

test('a fulfilled order is compared after a lost dispute', async () => {
  addPaidOrder(0)
  orders[0]!.dispute = { state: 'LOST', amount: total, reason: 'fraudulent', respondBy: null }
  charges = []
  expect(rulesOf(await reconcile(deps, start, context))).toContain('o0 charge-missing')
})

test('a daily run compares all orders also after 1,000 mismatches, and keeps the newest ones', async () => {
  for (let second = 0; second < MANY; second++) addPaidOrder(second)
  rows = []
  charges = []
  const replaceMismatches = vi.fn<AlertStore['replaceMismatches']>()
  await reconcileDaily({
    ...deps,
    reconciliation: { ...deps.reconciliation, now: async () => start.until },
    alerts: { reconcileSince: async () => start.from, replaceMismatches },
    scheduledRuns: {
      acquire: async () => ({ name: 'reconcile', version: 1 }),
      renew: async () => undefined,
    },
    stopping: new AbortController().signal,
    log: createLog('orders', 'silent'),
  })
  const [, ended] = replaceMismatches.mock.calls[0]!
  const { mismatches, ...period } = ended
  expect([mismatches.length, mismatches.at(-1)?.orderApiKey]).toEqual([MAX_MISMATCHES, `o${MANY - 1}`])
  expect(period).toMatchObject({ since: start.from, until: start.until })
})
