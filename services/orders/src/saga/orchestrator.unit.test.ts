import { cents, requestTimes, type Refusal } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newOrder, type OrderResult, type SagaOrder } from '#/domain/order-state.ts'
import { newSaga } from '#/domain/saga-row.ts'
import { handlePaymentMoved } from '#/saga/handlers/payment-moved.ts'
import type { Trigger } from '#/saga/domain/transition.ts'
import { Orchestrator, type OpenDelivery } from '#/saga/orchestrator.ts'
import type { Stores } from '#/store/stores.ts'
import type { Loaded, Save, Times } from '#/store/sagas.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const AT = 1_790_000_000
const DEADLINES = { sagaMs: 30_000, transmitMs: 120_000 }
const declined: Refusal = { code: 'card-declined', detail: 'The card was declined.' }

type SagaStore = Stores['sagas']

/** The rows of all replicas, with the conditions of the SQL statements; its commits are steps of the log. */
class Rows implements SagaStore {
  readonly times: Times[] = []
  /** The statuses that were added to the history. */
  readonly statuses: (string | null)[] = []
  /** Saves of another replica or of the restaurant. Each runs before one of the next saves. */
  readonly before: (() => void)[] = []
  /** Send-order has returned the pending order. */
  isReturned = false
  isDown = false
  saves = 0
  #row: Loaded | null = null
  readonly #log: string[]

  constructor(log: string[]) {
    this.#log = log
  }

  get row(): Loaded {
    if (!this.#row) throw new Error('there is no order')
    return this.#row
  }

  async place({ order, saga, ...times }: Parameters<Stores['sagas']['place']>[0]) {
    if (this.isDown) throw new Error('the commit failed')
    const assigned = { id: 17, datePlaced: AT, reports: 'detailed' } as const
    this.put({ order: { ...order, ...assigned }, saga }, times)
    return assigned
  }

  async load() {
    return this.#row
  }

  async save({ order, saga, from, status, ...times }: Save) {
    this.before.shift()?.()
    const { row } = this
    if (row.saga.version !== from.version || (from.status ?? row.order.status) !== row.order.status)
      return null
    this.saves += 1
    this.statuses.push(status)
    this.put({ order: { ...row.order, ...order }, saga: { ...row.saga, ...saga } }, times)
    return { age: 1, isReturned: this.isReturned }
  }

  async takeDue() {
    return []
  }

  put(row: Loaded, times?: Times) {
    this.#row = row
    this.#log.push(`commit ${row.saga.version}`)
    if (times) this.times.push(times)
  }
}

/** One replica. It appends its steps to `log`. `batched`: the end of the time for which the bus waits for further commands. */
function replicaOf(rows: Rows, log: string[], { isBrokerDown = false, batched = Promise.resolve() } = {}) {
  const results: (OrderResult | null | undefined)[] = []
  const openDelivery: OpenDelivery = async (next) => ({
    next,
    begin: () => void (next.delivery?.outcome === null && log.push('begin delivery')),
  })
  const orchestrator = new Orchestrator({
    sagas: rows,
    log: createLog('test', 'silent'),
    deadlines: DEADLINES,
    openDelivery,
    notifier: { publish: (_, result) => void results.push(result) },
    bus: {
      publish: async ({ name }, data, { batchDelayMs = 0 }) => {
        if (isBrokerDown) throw new Error('the broker is unavailable')
        const { version, attempt } = data as { version: number; attempt: number }
        if (batchDelayMs > 0) await batched
        log.push(`${name} ${version}.${attempt}`)
      },
    },
  })
  return { orchestrator, results }
}

function setUp(options: { isBrokerDown?: boolean; batched?: Promise<void> } = {}) {
  const log: string[] = []
  const rows = new Rows(log)
  const replica = replicaOf(rows, log, options)
  return { log, rows, ...replica, place: (token: string | null) => place(replica.orchestrator, token) }
}

/** `token`: the token of the charged card; null for a cash order. */
function place(orchestrator: Orchestrator, token: string | null): Promise<SagaOrder> {
  const priced = pricedOrder({ payment: token === null ? 'cash' : 'card' })
  const facts = { total: cents(1_075), token, userApiKey: null, newCard: null, newAddress: null }
  return orchestrator.place({
    applicationId: 'a1',
    order: newOrder('o1', priced, AT),
    saga: newSaga({ orderApiKey: 'o1', requestId: 'q1', facts }),
    idempotency: null,
  })
}

const replied = (step: string, version: number, refusal: Refusal | null = null): Trigger => ({
  kind: 'replied',
  step,
  version,
  isCompensation: false,
  outcome: refusal ? { kind: 'refused', refusal } : { kind: 'done' },
})
const action = { type: 'redirect', url: 'https://bank.example/1', expires: AT + 600 } as const
const challenged: Trigger = {
  kind: 'replied',
  step: 'authorize',
  version: 0,
  isCompensation: false,
  outcome: { kind: 'authenticate', action },
}
const delivered: Trigger = { kind: 'delivered', result: { outcome: 'accepted', link: 'webhook' } }
const cancelled: Trigger = {
  kind: 'cancelled',
  by: 'restaurant',
  refusal: { code: 'order-refused', detail: 'Closed.' },
  onlyUnstarted: false,
}

/** An order that is paid by card, delivered and captured. */
async function setUpCaptured() {
  const setting = setUp()
  await setting.place('tok_1')
  await setting.orchestrator.apply('o1', replied('authorize', 0))
  await setting.orchestrator.apply('o1', delivered)
  await setting.orchestrator.apply('o1', replied('capture', 2))
  return setting
}

test('a command is published, and a delivery begins, only after the commit of its step', async () => {
  const { log } = await setUpCaptured()
  expect(log).toEqual([
    'commit 0',
    'payments.authorize 0.1',
    'commit 1',
    'begin delivery',
    'commit 2',
    'payments.capture 2.1',
    'commit 3',
  ])
})

test('only a save that changes the status adds it to the history', async () => {
  const { rows } = await setUpCaptured()
  expect(rows.statuses).toEqual([null, 'AWAITING_PREPARATION', null])
})

test('an event has the time of the clock in whole seconds, so that a cancellation can be too late', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: AT * 1_000 + 999 })
  onTestFinished(() => void vi.useRealTimers())
  const { rows, orchestrator, place: placeHere } = setUp()
  await placeHere(null)
  await orchestrator.apply('o1', delivered)
  expect(await orchestrator.apply('o1', { ...cancelled, until: AT - 1 })).toBeNull()
  await orchestrator.apply('o1', { ...cancelled, until: AT })
  expect(rows.row.order.cancellation).toMatchObject({ date: AT })
})

test('a reply is handled before its batched capture is published', async () => {
  const { promise: batched, resolve: publishBatch } = Promise.withResolvers<void>()
  const { log, orchestrator } = setUp({ batched })
  await place(orchestrator, 'tok_1')
  await orchestrator.apply('o1', replied('authorize', 0))
  await orchestrator.apply('o1', delivered)
  expect(log.at(-1)).toBe('commit 2')
  publishBatch()
  await vi.waitFor(() => expect(log.at(-1)).toBe('payments.capture 2.1'))
})

test('a failed commit of an order publishes no command and begins no delivery', async () => {
  for (const token of ['tok_1', null]) {
    const { log, rows, place: placeHere, results } = setUp()
    rows.isDown = true
    await expect(placeHere(token)).rejects.toThrow('the commit failed')
    expect({ log, results }).toEqual({ log: [], results: [] })
  }
})

test('an order is placed while the broker is unavailable, and the sweeper publishes its command', async () => {
  const { log, rows, place: placeHere } = setUp({ isBrokerDown: true })
  expect(await placeHere('tok_1')).toMatchObject({ apiKey: 'o1', id: 17, outcome: 'pending' })
  const { orchestrator } = replicaOf(rows, log)
  const { order, saga } = rows.row
  const due = { order, saga: { ...saga, attempt: 2 } }
  expect((await orchestrator.apply('o1', { kind: 'retried' }, due))?.saga).toBe(due.saga)
  expect(log).toEqual(['commit 0', 'payments.authorize 0.2'])
})

test('publishes no command and no event when the save lost the race of versions', async () => {
  const { log, rows, orchestrator, results, place: placeHere } = setUp()
  await placeHere('tok_1')
  const other = replicaOf(rows, log)
  await other.orchestrator.apply('o1', replied('authorize', 0))
  // This replica still has the saga of version 0 in memory.
  log.length = 0
  expect(await orchestrator.apply('o1', replied('authorize', 0))).toBeNull()
  expect({ log, results }).toEqual({ log: [], results: [] })
})

test('a reply for a version that another replica has saved applies to the stored saga', async () => {
  const { log, rows, orchestrator, place: placeHere } = setUp()
  await placeHere('tok_1')
  const other = replicaOf(rows, log)
  await other.orchestrator.apply('o1', replied('authorize', 0))
  await other.orchestrator.apply('o1', delivered)
  const next = await orchestrator.apply('o1', replied('capture', 2))
  expect(next?.order.paymentState).toBe('CHARGED')
  expect(rows.row.saga).toMatchObject({ version: 3, isFinished: true })
})

test('payment-moved republishes the command of the saga that another replica has saved', async () => {
  const { log, rows, orchestrator, place: placeHere } = setUp()
  await placeHere('tok_1')
  await replicaOf(rows, log).orchestrator.apply('o1', challenged)
  log.length = 0
  await handlePaymentMoved({ orchestrator })({ orderApiKey: 'o1' })
  expect(log).toEqual(['payments.authorize 1.1'])
})

test('a cancellation that lost to a capture publishes payments.release with the next version', async () => {
  const { log, rows, orchestrator, place: placeHere } = setUp()
  await placeHere('tok_1')
  await orchestrator.apply('o1', replied('authorize', 0))
  await orchestrator.apply('o1', delivered)
  const captured = { ...rows.row, order: { ...rows.row.order, paymentState: 'CHARGED' as const } }
  const state = { ...captured.saga.state, done: ['authorize', 'transmit', 'capture'] }
  rows.before.push(() => rows.put({ ...captured, saga: { ...captured.saga, version: 3, state } }))
  log.length = 0
  await orchestrator.apply('o1', cancelled)
  expect(log).toEqual(['commit 3', 'commit 4', 'payments.release 4.1'])
  expect(rows.row.order.cancellation).toMatchObject({ cancelledBy: 'restaurant' })
})

test('a cancellation is not saved when the order becomes DELIVERED before its save', async () => {
  const { log, rows, orchestrator, place: placeHere } = setUp()
  await placeHere(null)
  await orchestrator.apply('o1', delivered)
  const { order, saga } = rows.row
  // The restaurant's report leaves the version of the saga as it is.
  rows.before.push(() => rows.put({ order: { ...order, status: 'DELIVERED' }, saga }))
  log.length = 0
  expect(await orchestrator.apply('o1', cancelled)).toBeNull()
  expect(log).toEqual(['commit 1'])
  expect(rows.row.order).toMatchObject({ status: 'DELIVERED', cancellation: null })
})

test('an event that loses every race of versions is refused with 503, and publishes no command', async () => {
  const { log, rows, orchestrator, place: placeHere } = setUp()
  await placeHere('tok_1')
  const incrementVersion = () =>
    rows.put({ ...rows.row, saga: { ...rows.row.saga, version: rows.row.saga.version + 1 } })
  rows.before.push(...Array.from({ length: 10 }, () => incrementVersion))
  await expect(orchestrator.apply('o1', { kind: 'expired' })).rejects.toMatchObject({ status: 503 })
  expect(log.filter((step) => step.startsWith('payments'))).toEqual(['payments.authorize 0.1'])
  expect(rows.saves).toBe(0)
})

test('a failed order is published as failed, or as cancelled when it was returned as pending', async () => {
  for (const [isReturned, expected] of [
    [false, { kind: 'failed', refusal: declined }],
    [true, { kind: 'visible', order: { apiKey: 'o1', cancellation: { reason: 'card-declined' } } }],
  ] as const) {
    const { rows, orchestrator, results, place: placeHere } = setUp()
    await placeHere('tok_1')
    rows.isReturned = isReturned
    await orchestrator.apply('o1', replied('authorize', 0, declined))
    expect(results).toMatchObject([expected])
  }
})

test('a command is due again after its reply timeout, a delivery after its deadline, a finished saga never', async () => {
  const { rows, orchestrator } = await setUpCaptured()
  await orchestrator.apply('o1', cancelled)
  const [authorize, transmit, capture, end, release] = rows.times.map(({ retryInMs }) => retryInMs)
  expect(transmit).toBeGreaterThan(DEADLINES.transmitMs)
  const { paymentReply } = requestTimes
  expect({ authorize, capture, end, release }).toEqual({
    authorize: paymentReply,
    capture: paymentReply,
    end: null,
    release: paymentReply,
  })
})

const refunded: Trigger = {
  kind: 'refund-requested',
  count: 0,
  refund: {
    apiKey: 'f1',
    amount: cents(100),
    state: 'PENDING',
    reason: 'LATE',
    items: [],
    delivery: cents(0),
    tip: cents(0),
    requestedBy: 'operator',
    borneBy: 'platform',
    date: AT,
  },
}

test('a refund sets the deadline of the saga that it reopens', async () => {
  const { rows, orchestrator } = await setUpCaptured()
  await orchestrator.apply('o1', refunded)
  expect(rows.row.saga.isFinished).toBe(false)
  expect(rows.times.at(-1)).toMatchObject({ deadlineInMs: DEADLINES.sagaMs })
})

test('a dispute of a cancelled order is published', async () => {
  const { orchestrator, results } = await setUpCaptured()
  await orchestrator.apply('o1', cancelled)
  const dispute = { state: 'OPEN', amount: cents(1_075), reason: 'fraudulent', respondBy: null } as const
  const before = results.length
  await orchestrator.apply('o1', { kind: 'mirrored', version: 1, refunds: [], failed: [], dispute })
  expect(results.slice(before)).toMatchObject([{ kind: 'visible', order: { dispute } }])
})

test('placement, delivery and cancellation set the deadline of a saga, and no other reply extends it', async () => {
  const { rows, orchestrator, place: placeHere } = setUp()
  await placeHere('tok_1')
  await orchestrator.apply('o1', replied('authorize', 0))
  await orchestrator.apply('o1', delivered)
  await orchestrator.apply('o1', cancelled)
  const { sagaMs, transmitMs } = DEADLINES
  // A delivery after a slow authorization is not overdue before its own deadline.
  const delivery = transmitMs + 60_000
  expect(rows.times.map(({ deadlineInMs }) => deadlineInMs)).toEqual([sagaMs, delivery, null, sagaMs])
})
