import { createLog } from '@platter/kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LEASE_MS, newOrder, type DeliveryResult } from '#/domain/order-state.ts'
import type { PlacedOrder } from '#/domain/order.ts'
import { newSaga } from '#/domain/saga-row.ts'
import { Deliverer, PER_RESTAURANT } from '#/delivery/deliverer.ts'
import type { Receipt } from '#/delivery/outside/restaurant-link.ts'
import { transition } from '#/saga/domain/transition.ts'
import type { Stores } from '#/store/stores.ts'
import type { Failed, Lease, LeasedDelivery } from '#/store/deliveries.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const LINK = { kind: 'webhook', url: 'https://kitchen.example/', secret: '', reports: 'detailed' } as const
const CONSOLE = { kind: 'console', reports: 'detailed' } as const
const SECOND = 1_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const anOrder = (apiKey: string, restaurantApiKey = 'r1') =>
  newOrder(apiKey, pricedOrder({ restaurantApiKey }), 1_790_000_000)

type Row = {
  order: PlacedOrder
  attempts: number
  busyUntil: number
  deadlineAt: number
  lastResult: string | null
}

type DeliveryStore = Stores['deliveries']

/** The deliveries table, by the clock of the test. Its conditions are those of the SQL statements. */
class Queue implements DeliveryStore {
  readonly rows = new Map<string, Row>()
  isUnavailable = false

  /** The commit that opens a delivery acquires the lease of its first attempt. */
  open(order: PlacedOrder, deadlineMs = 60 * SECOND): PlacedOrder {
    const now = performance.now()
    const times = { busyUntil: now + LEASE_MS, deadlineAt: now + deadlineMs }
    this.rows.set(order.apiKey, { order, attempts: 1, lastResult: null, ...times })
    return order
  }

  async acquireLeases({ limit, leaseMs }: { limit: number; leaseMs: number }): Promise<LeasedDelivery[]> {
    const now = performance.now()
    const due = [...this.rows.values()].filter(({ busyUntil }) => busyUntil <= now).slice(0, limit)
    return due.map((row) => {
      Object.assign(row, { attempts: row.attempts + 1, busyUntil: now + leaseMs })
      const { order, attempts: attempt, deadlineAt, lastResult } = row
      const state = { isOverdue: deadlineAt <= now, isTried: lastResult !== null || attempt > 2 }
      return {
        orderApiKey: order.apiKey,
        order,
        attempt,
        ...state,
        link: LINK,
        requestId: 'q',
        traceparent: null,
      }
    })
  }

  async renewLeases(leases: readonly Lease[], leaseMs: number): Promise<ReadonlySet<string>> {
    if (this.isUnavailable) throw unavailable()
    const own = leases.filter(({ orderApiKey, attempt }) => this.rows.get(orderApiKey)?.attempts === attempt)
    for (const { orderApiKey } of own)
      Object.assign(this.rows.get(orderApiKey) ?? {}, { busyUntil: performance.now() + leaseMs })
    return new Set(own.map(({ orderApiKey }) => orderApiKey))
  }

  async releaseLease({ orderApiKey, attempt }: Lease, failed: Failed | null): Promise<void> {
    const row = this.rows.get(orderApiKey)
    if (row?.attempts !== attempt) return
    row.busyUntil = Math.min(performance.now() + 2 * SECOND, row.deadlineAt)
    if (failed) row.lastResult = failed.result
    else row.attempts -= 1
  }

  async takeDueNotices() {
    return []
  }

  async endNotices() {
    // No order is cancelled.
  }
}

const unavailable = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })

type Respond = (apiKey: string) => Receipt | Promise<Receipt>
type Setup = {
  queue?: Queue
  respond?: Respond
  attemptsAtOnce?: number
  currentLink?: typeof LINK | typeof CONSOLE
}

/** One replica. `sent`: the orders that it transmits; `ended`: the results that reach the saga. */
function replica({ queue = new Queue(), respond = () => ({ kind: 'accepted' }), ...more }: Setup = {}) {
  const sent: string[] = []
  const ended: [string, DeliveryResult][] = []
  const deliverer = new Deliverer({
    deliveries: queue,
    restaurantLinks: { find: async () => more.currentLink ?? null, put: async () => [] },
    log: createLog('test', 'silent'),
    defaultLink: LINK,
    attemptsAtOnce: more.attemptsAtOnce ?? 64,
    orchestrator: {
      apply: async (apiKey, trigger) => {
        if (trigger.kind !== 'delivered') throw new Error(`${trigger.kind} is no result of a delivery`)
        queue.rows.delete(apiKey)
        ended.push([apiKey, trigger.result])
        return null
      },
    },
    transmit: async (_, { webhookId, order: { apiKey } }) => {
      sent.push(webhookId)
      return respond(apiKey)
    },
  })
  const begin = (order: PlacedOrder, leasedAt = performance.now()) => deliverer.begin(order, LINK, leasedAt)
  return { deliverer, queue, sent, ended, begin }
}

/** Advances the clock. Each replica sweeps and renews its leases twice a second. */
async function advance(ms: number, ...replicas: readonly Pick<ReturnType<typeof replica>, 'deliverer'>[]) {
  for (let passed = 0; passed < ms; passed += 500) {
    await vi.advanceTimersByTimeAsync(500)
    for (const { deliverer } of replicas) {
      await deliverer.sweep()
      await deliverer.renewLeases().catch(() => 'logged')
    }
    await vi.advanceTimersByTimeAsync(0)
  }
}

const silent = () => Promise.withResolvers<Receipt>().promise

describe('leases', () => {
  test('while a replica and its handlers stop, it renews the lease of a running attempt, and no other replica repeats it', async () => {
    const queue = new Queue()
    const handlers = Promise.withResolvers<void>()
    const response = Promise.withResolvers<Receipt>()
    const stopping = replica({ queue, respond: () => response.promise })
    const other = replica({ queue })
    stopping.begin(queue.open(anOrder('o1')))
    await vi.advanceTimersByTimeAsync(0)
    const stopped = stopping.deliverer.quiesce(handlers.promise)
    await advance(LEASE_MS + SECOND, other)
    stopping.begin(queue.open(anOrder('o2')))
    handlers.resolve()
    await advance(LEASE_MS + SECOND, other)
    expect(other.sent).toEqual([])
    response.resolve({ kind: 'accepted' })
    await stopped
    expect(stopping.ended.map(([apiKey]) => apiKey)).toEqual(['o1', 'o2'])
  })

  test('an order is sent while the lease is valid, and its acceptance reaches the saga', async () => {
    const { queue, begin, deliverer, sent, ended } = replica()
    begin(queue.open(anOrder('o1')))
    await deliverer.quiesce(Promise.resolve())
    expect({ sent, ended }).toEqual({
      sent: ['order_o1'],
      ended: [['o1', { outcome: 'accepted', link: 'webhook' }]],
    })
  })

  test('a replica that was frozen until its lease expired does not send the order', async () => {
    const { queue, begin, deliverer, sent, ended } = replica()
    begin(queue.open(anOrder('o1')), performance.now() - LEASE_MS)
    await deliverer.quiesce(Promise.resolve())
    expect({ sent, ended }).toEqual({ sent: [], ended: [] })
  })

  test('the delivery of a killed replica is attempted when its lease has expired, not before', async () => {
    const { queue, deliverer, sent, ended } = replica()
    queue.open(anOrder('o1'))
    await advance(LEASE_MS - 500, { deliverer })
    expect(sent).toEqual([])
    await advance(500, { deliverer })
    expect(sent).toEqual(['order_o1'])
    expect(ended).toMatchObject([['o1', { outcome: 'accepted' }]])
  })

  test('an order without a response for three lease times is sent once', async () => {
    const queue = new Queue()
    const [own, other] = [replica({ queue, respond: silent }), replica({ queue })]
    own.begin(queue.open(anOrder('o1')))
    await advance(3 * LEASE_MS, own, other)
    expect([own.sent, other.sent]).toEqual([['order_o1'], []])
  })

  test('a replica that cannot renew a lease loses it to another one', async () => {
    const queue = new Queue()
    const [own, other] = [replica({ queue, respond: silent }), replica({ queue })]
    own.begin(queue.open(anOrder('o1')))
    queue.isUnavailable = true
    await advance(LEASE_MS + 500, other, own)
    expect(other.ended).toMatchObject([['o1', { outcome: 'accepted' }]])
  })
})

describe('results', () => {
  test('a refusal reaches the saga with its reason', async () => {
    const { queue, begin, deliverer, ended } = replica({
      respond: () => ({ kind: 'refused', reason: 'Closed.' }),
    })
    begin(queue.open(anOrder('o1')))
    await deliverer.quiesce(Promise.resolve())
    expect(ended).toEqual([['o1', { outcome: 'refused', link: 'webhook', reason: 'Closed.' }]])
  })

  test.each(['not-reached', 'unknown'] as const)(
    'a delivery with the receipt %s stays open, and is sent again with the same webhook-id',
    async (kind) => {
      const receipts: Receipt[] = [{ kind, reason: 'timeout' }, { kind: 'accepted' }]
      const { queue, begin, deliverer, sent, ended } = replica({ respond: () => receipts.shift()! })
      begin(queue.open(anOrder('o1')))
      await advance(1_500, { deliverer })
      expect({ ended, lastResult: queue.rows.get('o1')?.lastResult }).toEqual({
        ended: [],
        lastResult: `${kind}: timeout`,
      })
      await advance(1_000, { deliverer })
      expect(sent).toEqual(['order_o1', 'order_o1'])
      expect(ended).toMatchObject([['o1', { outcome: 'accepted' }]])
    },
  )

  test('a delivery whose attempt throws is sent again when its lease has expired', async () => {
    const responses: Respond[] = [() => Promise.reject(new Error('planted')), () => ({ kind: 'accepted' })]
    const { queue, begin, deliverer, sent, ended } = replica({
      respond: (apiKey) => responses.shift()!(apiKey),
    })
    begin(queue.open(anOrder('o1')))
    await deliverer.quiesce(Promise.resolve())
    expect(ended).toEqual([])
    await advance(LEASE_MS + SECOND, { deliverer })
    expect(sent).toEqual(['order_o1', 'order_o1'])
    expect(ended).toMatchObject([['o1', { outcome: 'accepted' }]])
  })
})

describe('deadline', () => {
  test('a delivery whose deadline passed after an attempt ends as unreachable, and is not sent again', async () => {
    const { queue, begin, deliverer, sent, ended } = replica({
      respond: () => ({ kind: 'unknown', reason: 'timeout' }),
    })
    begin(queue.open(anOrder('o1'), SECOND))
    await advance(5 * SECOND, { deliverer })
    expect(sent).toEqual(['order_o1'])
    expect(ended).toEqual([['o1', { outcome: 'unreachable' }]])
  })

  test('a delivery without any attempt before its deadline is attempted once', async () => {
    const { queue, deliverer, sent, ended } = replica()
    queue.open(anOrder('o1'), SECOND)
    await advance(60 * SECOND, { deliverer })
    expect(sent).toEqual(['order_o1'])
    expect(ended).toMatchObject([['o1', { outcome: 'accepted' }]])
  })
})

describe('limits', () => {
  test('a silent restaurant occupies PER_RESTAURANT permits, and another one gets its order', async () => {
    const { queue, begin, deliverer, sent, ended } = replica({
      respond: (apiKey) => (apiKey === 'quick' ? { kind: 'accepted' } : silent()),
    })
    const orders = Array.from({ length: 114 }, (_, at) => anOrder(`slow ${at}`, 'silent'))
    for (const order of orders) begin(queue.open(order))
    await advance(SECOND, { deliverer })
    begin(queue.open(anOrder('quick', 'other')))
    await advance(LEASE_MS + SECOND, { deliverer })
    expect(ended).toMatchObject([['quick', { outcome: 'accepted' }]])
    expect(sent).toHaveLength(PER_RESTAURANT + 1)
  })

  test('an order without a permit ends as unreachable at its deadline, and is never sent', async () => {
    const { queue, begin, deliverer, sent, ended } = replica({ respond: silent })
    for (let at = 0; at < PER_RESTAURANT; at += 1) begin(queue.open(anOrder(`slow ${at}`)))
    await vi.advanceTimersByTimeAsync(0)
    begin(queue.open(anOrder('o1'), 10 * SECOND))
    await advance(9 * SECOND, { deliverer })
    expect(queue.rows.get('o1')).toMatchObject({ lastResult: null })
    await advance(10 * SECOND, { deliverer })
    expect(ended).toEqual([['o1', { outcome: 'unreachable' }]])
    expect(sent).not.toContain('order_o1')
  })

  test('a replica at its limit of attempts leaves a due delivery to another replica', async () => {
    const queue = new Queue()
    const [full, other] = [replica({ queue, respond: silent, attemptsAtOnce: 1 }), replica({ queue })]
    full.begin(queue.open(anOrder('slow')))
    full.begin(queue.open(anOrder('o1')))
    await advance(LEASE_MS, full)
    expect(full.sent).toEqual(['order_slow'])
    await other.deliverer.sweep()
    await other.deliverer.quiesce(Promise.resolve())
    expect(other.sent).toEqual(['order_o1'])
  })
})

test('an order for a console is accepted by the commit that opens its delivery, and never transmitted', async () => {
  const facts = { total: pricedOrder().total, token: null, userApiKey: null, newCard: null, newAddress: null }
  const placed = transition(anOrder('o1'), newSaga({ orderApiKey: 'o1', requestId: 'q', facts }), {
    kind: 'placed',
    at: 1,
  })
  if (placed === 'stale') throw new Error('the order is not placed')
  for (const [currentLink, outcome, transmitted] of [
    [CONSOLE, 'transmitted', []],
    [LINK, 'pending', ['order_o1']],
  ] as const) {
    const { deliverer, sent } = replica({ currentLink })
    const { next, begin } = await deliverer.open(placed, 1)
    begin(next.order)
    await deliverer.quiesce(Promise.resolve())
    expect({ outcome: next.order.outcome, sent }).toEqual({ outcome, sent: transmitted })
  }
})
