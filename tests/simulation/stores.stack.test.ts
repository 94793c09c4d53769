import { fileURLToPath } from 'node:url'
import { cents, type PaymentState, type Refusal } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderRefund } from '../../services/orders/src/domain/refund.ts'
import type { PricedOrder } from '../../services/orders/src/domain/order.ts'
import {
  fresh,
  type Saga,
  type SendOrderFacts,
  type State,
} from '../../services/orders/src/domain/saga-row.ts'
import { isClaimed } from '../../services/orders/src/store/idempotency-keys.ts'
import type { Acceptance, Loaded, Save, SaveResult, Times } from '../../services/orders/src/store/sagas.ts'
import { postgresStores, type Stores } from '../../services/orders/src/store/stores.ts'
import type { Tables } from '../../services/orders/src/store/tables.ts'
import {
  postgresAuthorizations,
  type AuthorizationStore,
  type Database as Payments,
} from '../../services/payments/src/store/authorizations.ts'
import { NO_PROCESSOR } from '../../services/payments/src/outside/no-processor.ts'
import { postgresRefunds, type RefundStore } from '../../services/payments/src/store/refunds.ts'
import { randomOf, type Random } from '../support/random.ts'
import { authorizations as fakeAuthorizations } from './stores/authorizations.ts'
import { refunds as fakeRefunds } from './stores/refunds.ts'
import { Database } from './database.ts'
import { stores as simulated } from './stores.ts'
import { enter, type Simulation } from './simulation.ts'
import { Process, World } from './world.ts'

/*
 * The simulation is valid only if its tables behave like PostgreSQL. This test executes the same random statements on both, and
 * their results must be equal.
 */

const log = createLog('test', 'fatal')
const HOUR_MS = 3_600_000

let orders: Postgres<Tables>
let real: Stores
let payments: Postgres<Payments>

const migrations = (service: string) =>
  fileURLToPath(new URL(`../../services/${service}/migrations`, import.meta.url))

beforeAll(async () => {
  orders = connectPostgres<Tables>(await newDatabase(), 2, log)
  await migrate(orders.db, migrations('orders'), log)
  real = postgresStores(orders.db)
  payments = connectPostgres<Payments>(await newDatabase(), 2, log)
  await migrate(payments.db, migrations('payments'), log)
})

afterAll(async () => {
  await Promise.all([orders.close(), payments.close()])
})

type Call = { name: string; run: (stores: Stores) => Promise<unknown> }

/** A world without faults, with one process that executes statements. */
function calmWorld() {
  const world = new World(1, { record: false })
  world.calm = true
  const restaurants = { show: () => undefined }
  enter({ world, restaurants, database: new Database() } as unknown as Simulation)
  const process = new Process('test')
  return async function inWorld<T>(work: () => Promise<T>): Promise<T> {
    let result: Promise<T> | null = null
    let isSettled = false
    world.later(0, process, () => {
      result = work()
      void result.then(
        () => (isSettled = true),
        () => (isSettled = true),
      )
    })
    await world.run(Infinity, () => isSettled)
    return result!
  }
}

type Rejection = { isKeyTaken: boolean }
const settled = (work: Promise<unknown>): Promise<unknown> =>
  work.then(comparable, (error: unknown): Rejection => ({ isKeyTaken: isClaimed(error) }))
const isRejection = (result: unknown) =>
  typeof result === 'object' && result !== null && 'isKeyTaken' in result

/** Removes fields that only one side has, or that must differ: numbers and times. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(comparable).toSorted((one, other) => (text(one) < text(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const {
    id: _1,
    datePlaced: _2,
    ageSeconds: _3,
    age: _4,
    applicationId: _5,
    // Only the in-memory store returns these fields of an order everywhere: see `loaded` and `saved`.
    outcome: _6,
    told: _7,
    shown: _8,
    ...rest
  } = value as Record<string, unknown>
  // Sorted by name, so that the lists of both sides have the same order.
  const named = Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(named.map(([name, inner]) => [name, comparable(inner)]))
}
const text = (value: unknown) => JSON.stringify(value)

const refusal: Refusal = { code: 'restaurant-unreachable', detail: 'because' }
const cancellation = {
  reason: 'order-refused',
  message: 'because',
  cancelledBy: 'restaurant',
  date: 1,
  refund: { amount: 10.75, state: 'VOIDED' },
} as const

const dispute = { state: 'OPEN', amount: cents(300), reason: 'fraudulent', respondBy: 1_700_600_000 } as const
const refund: OrderRefund = {
  apiKey: 'f1',
  amount: cents(300),
  state: 'PENDING',
  reason: 'LATE',
  items: [],
  delivery: cents(300),
  tip: cents(0),
  requestedBy: 'restaurant',
  borneBy: 'restaurant',
  date: 1,
}

const aState = (random: Random): State => ({
  done: random.pick([[], ['authorize'], ['authorize', 'transmit']]),
  undone: [],
  refusal: random.pick([null, refusal]),
})
const soonOrLate = (random: Random) => random.pick([0, HOUR_MS])
const aDelivery = (random: Random) =>
  random.pick([
    null,
    { outcome: null, link: null, noticeInMs: null },
    { outcome: 'accepted', link: 'console', noticeInMs: null },
    { outcome: 'unreachable', link: null, noticeInMs: 0 },
    { outcome: 'accepted', link: null, noticeInMs: 15_000 },
  ] as const)

const someTimes = (random: Random): Times => ({
  wakeInMs: random.pick([null, 0, HOUR_MS]),
  deadlineInMs: soonOrLate(random),
  leaseMs: soonOrLate(random),
  deliverWithinMs: soonOrLate(random),
})

const aSaga = (orderApiKey: string, version: number, state: State): Saga => ({
  orderApiKey,
  version,
  attempt: 1,
  facts,
  state,
  isFinished: false,
})
const facts: SendOrderFacts = {
  total: cents(1075),
  token: 't',
  userApiKey: null,
  newCard: null,
  newAddress: null,
}

function accept(random: Random, apiKey: string, prefix: string): Call {
  const scope = { accessKeyId: prefix, path: '/p', key: random.pick(['k1', 'k2']), fingerprint: 'f1' }
  const payment = random.pick(['cash', 'card'] as const)
  const accepted: Acceptance = {
    ...someTimes(random),
    applicationId: 'a1',
    priced: {
      method: 'pickup',
      payment,
      test: random.next() < 0.2,
      restaurantApiKey: 'r1',
      recipientApiKey: null,
      total: cents(1075),
      details: { card: null, comments: 'quick' } as PricedOrder['details'],
    },
    order: {
      status: random.pick(['PROCESSING', 'AWAITING_PREPARATION']),
      outcome: 'pending',
      paymentState: payment === 'cash' ? 'DUE' : 'PENDING',
      cancellation: null,
      refunds: [],
      dispute: null,
    },
    saga: aSaga(apiKey, 0, fresh),
    delivery: aDelivery(random),
    requestId: 'q1',
    traceparent: null,
    idempotency: prefix === 'both' ? null : random.pick([null, { scope, claimMs: soonOrLate(random) }]),
  }
  return { name: 'accept', run: ({ sagas }) => sagas.accept(accepted) }
}

function aSave(random: Random, apiKey: string): Save {
  const version = random.between(0, 3)
  return {
    ...someTimes(random),
    deadlineInMs: random.pick([null, 0, HOUR_MS]),
    order: {
      status: 'AWAITING_PREPARATION',
      outcome: random.pick(['pending', 'transmitted', 'failed']),
      paymentState: random.pick<PaymentState>(['AUTHORIZED', 'CHARGED', 'REFUNDED']),
      cancellation: random.pick([null, cancellation]),
      refunds: random.pick([[], [refund], [refund, { ...refund, apiKey: 'f2', state: 'DONE' }]]),
      dispute: random.pick([null, dispute]),
    },
    saga: aSaga(apiKey, version + 1, aState(random)),
    delivery: aDelivery(random),
    from: { version, status: random.pick([null, 'PROCESSING', 'AWAITING_PREPARATION']) },
    status: random.next() < 0.3 ? 'AWAITING_PREPARATION' : null,
  }
}

/** The result of a load, with the outcome of the order under a separate name. */
const loaded = (found: Loaded | null) => found && { ...found, ended: found.order.outcome }
const saved = (result: SaveResult | null) => result && { isReturned: result.told }

/** A random statement of the orders service, for one of three orders and two keys. */
function aCall(random: Random, prefix: string): Call {
  const apiKey = `${prefix}${random.between(1, 3)}`
  const scope = {
    accessKeyId: prefix,
    path: '/p',
    key: random.pick(['k1', 'k2']),
    fingerprint: random.pick(['f1', 'f1', 'f2']),
  }
  const used = { ...scope, orderApiKey: apiKey }
  const claimMs = random.pick([0, HOUR_MS])
  const save = aSave(random, apiKey)
  const lease = { orderApiKey: apiKey, attempt: random.between(1, 3) }
  const failed = random.pick([null, { result: 'unknown', link: 'webhook' } as const])
  const response = random.pick([
    { status: 200, body: '{}' },
    { status: 402, body: '{"code":"card-declined"}' },
  ])
  const calls: Call[] = [
    { name: 'sagas.load', run: async ({ sagas }) => loaded(await sagas.load(apiKey)) },
    { name: 'sagas.save', run: async ({ sagas }) => saved(await sagas.save(save)) },
    { name: 'sagas.save', run: async ({ sagas }) => saved(await sagas.save(save)) },
    { name: 'sagas.takeDue', run: async ({ sagas }) => (await sagas.takeDue(100)).map(loaded) },
    {
      name: 'deliveries.acquireLeases',
      run: ({ deliveries }) => deliveries.acquireLeases({ limit: 100, leaseMs: claimMs }),
    },
    {
      name: 'deliveries.renewLeases',
      run: async ({ deliveries }) => [...(await deliveries.renewLeases([lease], claimMs))],
    },
    {
      name: 'deliveries.releaseLease',
      run: ({ deliveries }) => deliveries.releaseLease(lease, failed),
    },
    { name: 'restaurantLinks.find', run: ({ restaurantLinks }) => restaurantLinks.find('r1') },
    { name: 'orders.find', run: ({ orders: store }) => store.find(apiKey) },
    { name: 'orders.recipientOf', run: ({ orders: store }) => store.recipientOf(apiKey) },
    {
      name: 'orderStories.find',
      run: async ({ orderStories }) => (await orderStories.find({ apiKey }))?.order,
    },
    { name: 'orders.exists', run: ({ orders: store }) => store.exists(apiKey) },
    { name: 'orders.findResult', run: ({ orders: store }) => store.findResult(apiKey) },
    {
      name: 'orders.markRespondedIfPending',
      run: ({ orders: store }) => store.markRespondedIfPending(apiKey),
    },
    { name: 'orders.markResponded', run: ({ orders: store }) => store.markResponded(apiKey) },
    { name: 'orders.markReadIfPending', run: ({ orders: store }) => store.markReadIfPending(apiKey) },
    { name: 'idempotencyKeys.claim', run: ({ idempotencyKeys }) => idempotencyKeys.claim(scope, claimMs) },
    { name: 'idempotencyKeys.markRefused', run: ({ idempotencyKeys }) => idempotencyKeys.markRefused(scope) },
    {
      name: 'idempotencyKeys.complete',
      run: ({ idempotencyKeys }) => idempotencyKeys.complete(used, response),
    },
    { name: 'idempotencyKeys.release', run: ({ idempotencyKeys }) => idempotencyKeys.release(used) },
    { name: 'idempotencyKeys.delete', run: ({ idempotencyKeys }) => idempotencyKeys.delete(used) },
    {
      name: 'restaurantOrders.find',
      run: ({ restaurantOrders }) => restaurantOrders.find(random.pick(['r1']), apiKey),
    },
  ]
  return random.pick(calls)
}

/**
 * Executes one history of random statements, and returns the number of compared results. One transaction keeps now() constant, like
 * the clock of the simulation. A rollback ensures that no other history finds its rows due.
 */
async function compareOrders(seed: number): Promise<number> {
  const random = randomOf(seed)
  const prefix = `s${seed}-`
  const inWorld = calmWorld()
  const toAccept = [1, 2, 3].map((number) => `${prefix}${number}`)
  const transaction = await orders.db.startTransaction().execute()
  const inTransaction = postgresStores(transaction)
  for (let step = 0; step < STATEMENTS; step++) {
    const next = random.next() < 0.4 ? toAccept.shift() : undefined
    const { name, run } = next === undefined ? aCall(random, prefix) : accept(random, next, prefix)
    const before = await transaction.savepoint('statement').execute()
    const expected = await settled(run(inTransaction))
    if (isRejection(expected)) await before.rollbackToSavepoint('statement').execute()
    const result = await inWorld(() => settled(run(simulated)))
    expect({ seed, step, name, result }).toEqual({ seed, step, name, result: expected })
  }
  await transaction.rollback().execute()
  return STATEMENTS
}
const STATEMENTS = 30

test('the in-memory stores of orders equal PostgreSQL in 3,600 random statements', async () => {
  let compared = 0
  for (let seed = 0; seed < 120; seed++) compared += await compareOrders(seed)
  expect(compared).toBe(3_600)
})

test('the in-memory store of refunds equals PostgreSQL in 1,000 random statements', async () => {
  const rows = { ...postgresAuthorizations(payments.db), ...postgresRefunds(payments.db) }
  const fakes = { ...fakeAuthorizations, ...fakeRefunds }
  const histories = await Promise.all(
    Array.from({ length: 50 }, async (_, seed) => {
      const random = randomOf(seed)
      const calls = [
        ...charging(`f${seed}`),
        ...Array.from({ length: 18 }, () => aRefundCall(random, `f${seed}`)),
      ]
      const expected: unknown[] = []
      for (const [, call] of calls) expected.push(await settled(call(rows)))
      return { calls, expected }
    }),
  )
  let compared = 0
  for (const [seed, { calls, expected }] of histories.entries()) {
    const inWorld = calmWorld()
    for (const [step, [name, call]] of calls.entries()) {
      const result = await inWorld(() => settled(call(fakes)))
      expect({ seed, step, name, result }).toEqual({ seed, step, name, result: expected[step] })
      compared += 1
    }
  }
  expect(compared).toBe(1_000)
})

type PaymentStores = Omit<AuthorizationStore, 'find'> & RefundStore
type PaymentsCall = [string, (rows: PaymentStores) => Promise<unknown>]

/** Returns the statements that create a charge. Most refunds need one. */
function charging(orderApiKey: string): PaymentsCall[] {
  const from = { orderApiKey, state: 'sent' } as Parameters<AuthorizationStore['move']>[0]
  return [
    ['findOrCreate', (rows) => rows.findOrCreate(orderApiKey, { amount: cents(10), token: 't1' })],
    ['move', (rows) => rows.move(from, { state: 'captured', processorId: 'x' })],
  ]
}

function aRefundCall(random: Random, orderApiKey: string): PaymentsCall {
  const apiKey = `${orderApiKey}-${random.between(1, 4)}`
  const amount = cents(random.pick([3, 4, 5]))
  const reserve: PaymentsCall = ['reserve', (rows) => rows.reserve({ apiKey, orderApiKey, amount })]
  return random.pick<PaymentsCall>([
    reserve,
    reserve,
    reserve,
    ['find', (rows) => rows.find(apiKey)],
    ['sent', (rows) => rows.sent(orderApiKey)],
    ['markPending', (rows) => rows.markPending(apiKey, 're_1')],
    ['markDone', (rows) => rows.markDone(apiKey, 're_1')],
    ['markDone', (rows) => rows.markDone(apiKey, 're_1')],
    ['markFailed', (rows) => rows.markFailed(apiKey, 'refund_failed')],
    ['markReturned', (rows) => rows.markReturned([apiKey])],
    ['settle', (rows) => rows.settle(orderApiKey)],
    ['authorization', (rows) => rows.findOrCreate(orderApiKey, { amount: cents(10), token: 't1' })],
    ...(random.next() < 0.2
      ? [['requestRelease', (rows) => rows.requestRelease(orderApiKey)] satisfies PaymentsCall]
      : []),
  ])
}

test('the in-memory store of authorizations equals PostgreSQL in 720 random statements', async () => {
  const rows = postgresAuthorizations(payments.db)
  // Histories run concurrently: each has its own order, and a capture waits up to 100 ms for others.
  const histories = await Promise.all(
    Array.from({ length: 60 }, async (_, seed) => {
      const random = randomOf(seed)
      const calls = Array.from({ length: 12 }, () => aPaymentsCall(random, `p${seed}`))
      const expected: unknown[] = []
      for (const [, call] of calls) expected.push(await settled(call(rows)))
      return { calls, expected }
    }),
  )
  let compared = 0
  for (const [seed, { calls, expected }] of histories.entries()) {
    const inWorld = calmWorld()
    for (const [step, [name, call]] of calls.entries()) {
      const result = await inWorld(() => settled(call(fakeAuthorizations)))
      expect({ seed, step, name, result }).toEqual({ seed, step, name, result: expected[step] })
      compared += 1
    }
  }
  expect(compared).toBe(720)
})

function aPaymentsCall(
  random: Random,
  orderApiKey: string,
): [string, (rows: AuthorizationStore) => Promise<unknown>] {
  const terms = {
    amount: cents(random.pick([1, 2])),
    token: 't1',
    ...random.pick([{}, { statementSuffix: 'Aurora Sli', savesCard: true }, { savesCard: false }]),
  }
  const state = random.pick(['sent', 'authorized', 'captured'] as const)
  const from = { orderApiKey, state } as Parameters<AuthorizationStore['move']>[0]
  const to = random.pick(['authorized', 'captured', 'voided', 'refunded'] as const)
  return random.pick<[string, (rows: AuthorizationStore) => Promise<unknown>]>([
    ['find', (rows) => rows.find(orderApiKey)],
    ['findOrCreate', (rows) => rows.findOrCreate(orderApiKey, terms)],
    ['findOrCreate, declined', (rows) => rows.findOrCreate(orderApiKey, terms, NO_PROCESSOR)],
    ['requestRelease', (rows) => rows.requestRelease(orderApiKey)],
    ['move', (rows) => rows.move(from, { state: to, processorId: 'x' })],
  ])
}

test('one of two concurrent saves of a version succeeds, without a deadlock with addStatus', async () => {
  const random = randomOf(1)
  for (let number = 0; number < 200; number++) {
    const apiKey = `both-${number}`
    await accept(random, apiKey, 'both').run(real)
    const save = (status: 'AWAITING_PREPARATION' | null) =>
      real.sagas.save({
        ...aSave(random, apiKey),
        saga: aSaga(apiKey, 1, fresh),
        from: { version: 0, status },
        status: null,
      })
    const begin = real.orders.addStatus(apiKey, 'PREPARING')
    const [one, other] = await Promise.all([save(null), save('AWAITING_PREPARATION'), begin])
    expect([one, other].filter(Boolean)).toHaveLength(1)
    expect((await real.sagas.load(apiKey))?.order.status).toBe('PREPARING')
  }
})
