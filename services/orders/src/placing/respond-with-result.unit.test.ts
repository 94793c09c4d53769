import { createLog, Deadline, Problem, Rendered } from '@platter/kit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newOrder, type OrderResult } from '#/domain/order-state.ts'
import { claimMs, respondWithResult } from '#/placing/respond-with-result.ts'
import { Subscription } from '#/saga/subscriptions.ts'
import type { Stores } from '#/store/stores.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const DEADLINE_MS = 10_000
/** Timers run at whole milliseconds. */
const ROUNDED_MS = 1
const order = newOrder('o1', pricedOrder({ payment: 'card' }), 1_790_000_000)
const pending: OrderResult = { kind: 'pending', order }
const visible: OrderResult = { kind: 'visible', order: { ...order, status: 'AWAITING_PREPARATION' } }
const declined: OrderResult = {
  kind: 'failed',
  refusal: { code: 'card-declined', detail: 'The card was declined.' },
}

let stopping: AbortController

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  stopping = new AbortController()
})
afterEach(() => {
  stopping.abort()
  vi.useRealTimers()
})

type Condition = 'available' | 'unavailable' | 'hanging'

const OUTCOMES = { pending: 'pending', visible: 'transmitted', failed: 'failed' } as const

/** The rows of an order with this result. */
const loadedOf = (result: OrderResult) => ({
  order: { ...order, ...('order' in result && result.order), outcome: OUTCOMES[result.kind] },
  saga: { state: { refusal: result.kind === 'failed' ? result.refusal : null } },
})

/** PostgreSQL with one order and the key of its request. `steps`: its statements, in order. */
class Rows {
  readonly steps: string[] = []
  readonly key: { status: number; body: string }[] = []
  condition: Condition = 'available'
  result: OrderResult = pending
  /** The result of a saga that ends right after the request has marked its order. */
  resultAfterMark: OrderResult | null = null
  failure: Error | null = null

  async #statement<T>(step: string, work: () => T): Promise<T> {
    this.steps.push(step)
    if (this.condition === 'hanging') return Promise.withResolvers<T>().promise
    if (this.condition === 'unavailable')
      throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    if (this.failure) throw this.failure
    return work()
  }

  readonly sagas = {
    load: () => this.#statement('read', () => loadedOf(this.result)),
  } as unknown as Stores['sagas']

  readonly orders = {
    markReturnedIfPending: () =>
      this.#statement('mark', () => {
        const isPending = this.result.kind === 'pending'
        this.result = this.resultAfterMark ?? this.result
        return isPending
      }),
    markReturned: () => this.#statement('mark in any case', () => undefined),
  } as unknown as Stores['orders']

  readonly idempotencyKeys = {
    complete: (_, response) => this.#statement('complete the key', () => void this.key.push(response)),
    release: () => this.#statement('release the key', () => undefined),
    delete: () => this.#statement('delete the key', () => undefined),
  } as Partial<Stores['idempotencyKeys']> as Stores['idempotencyKeys']
}

type Options = { isKnown?: boolean; event?: OrderResult; after5s?: (subscription: Subscription) => void }

/** Returns the response to a request, and the time until it arrived. */
async function responseTo(rows: Rows, { isKnown = true, event, after5s }: Options = {}) {
  using subscription = new Subscription(() => undefined)
  if (event) subscription.wake(event)
  const start = performance.now()
  const request = {
    deadline: Deadline.in(DEADLINE_MS),
    idempotency: { accessKeyId: 'k', path: '/orders', key: 'one', fingerprint: 'f' },
    requestId: 'q',
    url: '/orders',
  }
  const { orders, sagas, idempotencyKeys } = rows
  const deps = { orders, sagas, idempotencyKeys, log: createLog('test', 'silent'), stopping: stopping.signal }
  const placed = { apiKey: 'o1', placed: isKnown ? order : null, pending: subscription }
  const pendingResponse = respondWithResult(deps, placed, request)
    .catch((error: unknown) => error)
    .then((response) => ({ response, afterMs: performance.now() - start }))
  await vi.advanceTimersByTimeAsync(5_000)
  after5s?.(subscription)
  await vi.advanceTimersByTimeAsync(DEADLINE_MS)
  const { response, afterMs } = await pendingResponse
  const body = response instanceof Rendered ? (JSON.parse(String(response.body)) as { status: string }) : null
  const code = response instanceof Problem ? response.code : null
  return { response, afterMs, status: body?.status ?? null, code }
}

test('returns an accepted order at once, and stores the same bytes for replays', async () => {
  const rows = new Rows()
  const { response, status, afterMs } = await responseTo(rows, { event: visible })
  expect({ status, afterMs, steps: rows.steps }).toEqual({
    status: 'AWAITING_PREPARATION',
    afterMs: 0,
    steps: ['complete the key'],
  })
  expect(rows.key).toEqual([{ status: 200, body: (response as Rendered).body }])
})

test('reads an accepted order within 1 s after its event was lost', async () => {
  const rows = new Rows()
  const { status, afterMs } = await responseTo(rows, { after5s: () => void (rows.result = visible) })
  expect(status).toBe('AWAITING_PREPARATION')
  expect(afterMs).toBeLessThanOrEqual(6_000)
})

test('returns the problem of a failed order, and stores it for replays (402 card-declined)', async () => {
  const rows = new Rows()
  const { code } = await responseTo(rows, { event: declined })
  expect(code).toBe('card-declined')
  expect(rows.key).toMatchObject([{ status: 402 }])
  expect(JSON.parse(rows.key[0]!.body)).toMatchObject({ code: 'card-declined', status: 402 })
})

test.each(['payment-unavailable', 'restaurant-unreachable'] as const)(
  'deletes the key of an order that failed with %s',
  async (code) => {
    const rows = new Rows()
    const event: OrderResult = { kind: 'failed', refusal: { code, detail: 'Not in time.' } }
    expect(await responseTo(rows, { event })).toMatchObject({ code })
    expect(rows.steps).toEqual(['delete the key'])
  },
)

test('returns an order whose bank asks the customer at once, at PROCESSING', async () => {
  const rows = new Rows()
  const action = { type: 'redirect', url: 'https://bank.example/1', expires: 1_790_000_600 } as const
  rows.result = { kind: 'pending', order: { ...order, paymentAction: action } }
  expect(await responseTo(rows, { event: rows.result })).toMatchObject({ status: 'PROCESSING', afterMs: 0 })
  expect(rows.steps).toEqual(['mark', 'read', 'release the key'])
})

test('marks a pending order, reads it again, releases its key and returns it by the deadline', async () => {
  const rows = new Rows()
  const { status, afterMs } = await responseTo(rows)
  expect(status).toBe('PROCESSING')
  expect(afterMs).toBeLessThan(DEADLINE_MS)
  const last = rows.steps.filter((step) => step !== 'read')
  expect(last).toEqual(['mark', 'release the key'])
  expect(rows.steps.indexOf('read', rows.steps.indexOf('mark')), 'read after the mark').toBeGreaterThan(0)
  expect(rows.key).toEqual([])
})

test('returns the failure of an order that fails while it is marked at the deadline', async () => {
  const rows = new Rows()
  rows.resultAfterMark = declined
  expect(await responseTo(rows)).toMatchObject({ code: 'card-declined' })
  expect(rows.key).toMatchObject([{ status: 402 }])
})

test.each(['unavailable', 'hanging'] as const)(
  'returns a placed order by the deadline while PostgreSQL is %s',
  async (condition) => {
    const rows = new Rows()
    rows.condition = condition
    const { status, afterMs } = await responseTo(rows)
    expect(status).toBe('PROCESSING')
    expect(afterMs).toBeLessThanOrEqual(DEADLINE_MS + ROUNDED_MS)
    expect(rows.steps).toContain('mark in any case')
  },
)

test.each(['unavailable', 'hanging'] as const)(
  'returns service-unavailable for a bare apiKey while PostgreSQL is %s, keeps its key, and marks no order',
  async (condition) => {
    const rows = new Rows()
    rows.condition = condition
    const { code, afterMs } = await responseTo(rows, { isKnown: false })
    expect(code).toBe('service-unavailable')
    expect(afterMs).toBeLessThanOrEqual(DEADLINE_MS + ROUNDED_MS)
    expect(rows.steps.filter((step) => step.endsWith('the key'))).toEqual([])
    expect(rows.steps).not.toContain('mark in any case')
  },
)

test('returns the failure from an event while every read hangs', async () => {
  const rows = new Rows()
  rows.condition = 'hanging'
  const { code } = await responseTo(rows, { after5s: (subscription) => subscription.wake(declined) })
  expect(code).toBe('card-declined')
  expect(rows.steps).toEqual(['read', 'complete the key'])
})

test('a key that cannot be completed delays the response to the deadline at most', async () => {
  for (const condition of ['unavailable', 'hanging'] as const) {
    const rows = new Rows()
    rows.condition = condition
    const { status, afterMs } = await responseTo(rows, { event: visible })
    expect(status).toBe('AWAITING_PREPARATION')
    expect(afterMs).toBeLessThanOrEqual(DEADLINE_MS + ROUNDED_MS)
  }
})

test('rejects with the error of a defect, and returns no pending order', async () => {
  const rows = new Rows()
  rows.failure = new TypeError('a defect')
  expect((await responseTo(rows)).response).toBe(rows.failure)
})

test('the claim of a key outlives the deadline of its request', () => {
  expect(claimMs(Deadline.in(DEADLINE_MS))).toBeGreaterThan(DEADLINE_MS)
})
