import { cents, type PaymentState, type Refusal } from '@platter/contracts'
import { migratedDatabase } from '@platter/testkit'
import { expect, test } from 'vitest'
import { newOrder } from '../../services/orders/src/domain/order-state.ts'
import type { OrderRefund } from '../../services/orders/src/domain/refund.ts'
import type { PricedOrder } from '../../services/orders/src/domain/order.ts'
import {
  fresh,
  type Saga,
  type SendOrderFacts,
  type State,
} from '../../services/orders/src/domain/saga-row.ts'
import type { Placement, Save, Times } from '../../services/orders/src/store/sagas.ts'
import { postgresStores, type Stores } from '../../services/orders/src/store/stores.ts'
import { randomOf, type Random } from '../support/random.ts'
import { isRejection, newMemoryStores, settled } from './comparison.ts'

const HOUR_MS = 3_600_000

const orders = await migratedDatabase('orders', 2)
const real = postgresStores(orders.db)

type Call = { name: string; run: (stores: Stores) => Promise<unknown> }

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
  ...random.pick([{}, { refunds: [] }, { refunds: [{ apiKey: 'f1', amount: cents(300) }] }]),
})
const soonOrLate = (random: Random) => random.pick([0, HOUR_MS])
const open = { outcome: null, link: null, noticeInMs: null } as const
const cancelled = { outcome: 'unreachable', link: null, noticeInMs: 0 } as const
const aDelivery = (random: Random) =>
  random.pick([
    null,
    open,
    open,
    open,
    { outcome: 'accepted', link: 'console', noticeInMs: null },
    cancelled,
    { outcome: 'accepted', link: null, noticeInMs: 15_000 },
  ] as const)

const someTimes = (random: Random): Times => ({
  retryInMs: random.pick([null, 0, HOUR_MS]),
  deadlineInMs: soonOrLate(random),
  leaseMs: soonOrLate(random),
  deliverWithinMs: soonOrLate(random),
})

const aSaga = (orderApiKey: string, version: number, state: State): Saga => ({
  orderApiKey,
  requestId: 'q1',
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

const priced: Omit<PricedOrder, 'payment' | 'test'> = {
  method: 'pickup',
  restaurantApiKey: 'r1',
  recipientApiKey: null,
  total: cents(1075),
  details: { card: null, comments: 'quick' } as PricedOrder['details'],
}

/** Two of three orders share a key. With a random key, most statements would be about a key of no order. */
const scopeOf = (apiKey: string, prefix: string) => ({
  accessKeyId: prefix,
  path: '/p',
  key: apiKey.endsWith('1') ? 'k1' : 'k2',
  fingerprint: 'f1',
})

function place(random: Random, apiKey: string, prefix: string): Call {
  const scope = scopeOf(apiKey, prefix)
  const payment = random.pick(['cash', 'card'] as const)
  const placement: Placement = {
    ...someTimes(random),
    applicationId: 'a1',
    order: {
      ...newOrder(apiKey, { ...priced, payment, test: random.next() < 0.2 }, 1),
      status: random.pick(['PROCESSING', 'AWAITING_PREPARATION']),
      paymentState: payment === 'cash' ? 'DUE' : 'PENDING',
    },
    saga: aSaga(apiKey, 0, fresh),
    delivery: aDelivery(random),
    traceparent: null,
    idempotency: prefix === 'both' ? null : random.pick([null, { scope, claimMs: soonOrLate(random) }]),
  }
  const isRefusedBefore = random.next() < 0.3
  const run = async ({ sagas, idempotencyKeys }: Stores) => {
    if (isRefusedBefore) {
      await idempotencyKeys.markRefused(scope)
      await idempotencyKeys.reclaim(scope, 0)
    }
    return withoutKey(await sagas.place(placement))
  }
  return { name: 'place', run }
}

/** Removes the key of the order, by which PostgreSQL's result is assigned to its call. */
const withoutKey = (result: object | null) => result && { ...result, apiKey: undefined }

/** Returns a save of the first version. */
function aSave(random: Random, apiKey: string): Save {
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
    saga: aSaga(apiKey, 1, aState(random)),
    delivery: aDelivery(random),
    from: { version: 0, status: random.pick([null, null, 'PROCESSING', 'AWAITING_PREPARATION']) },
    status: random.next() < 0.3 ? 'AWAITING_PREPARATION' : null,
  }
}

/** Saves the stored version of an order, or an earlier one, which another replica has replaced. */
async function saveAfter({ sagas }: Stores, { lag, ...save }: Save & { lag: number }) {
  const version = ((await sagas.load(save.saga.orderApiKey))?.saga.version ?? 0) - lag
  const saga = { ...save.saga, version: version + 1 }
  return withoutKey(await sagas.save({ ...save, saga, from: { ...save.from, version } }))
}

/** A random statement of the orders service, for one of three orders and two keys. */
function aCall(random: Random, prefix: string): Call {
  const apiKey = `${prefix}${random.between(1, 3)}`
  const scope = scopeOf(apiKey, prefix)
  const used = { ...scope, orderApiKey: apiKey }
  const claimMs = random.pick([0, HOUR_MS])
  const save = { ...aSave(random, apiKey), lag: random.pick([0, 0, 0, 1]) }
  const lease = { orderApiKey: apiKey, attempt: random.pick([1, 1, 2, 3]) }
  const failed = { result: 'unknown', link: 'webhook', isSent: random.next() < 0.5 } as const
  const failedOrNot = random.pick([null, failed])
  const response = random.pick([
    { status: 200, body: '{}' },
    { status: 402, body: '{"code":"card-declined"}' },
  ])
  const calls: Call[] = [
    { name: 'sagas.load', run: ({ sagas }) => sagas.load(apiKey) },
    { name: 'sagas.save', run: (stores) => saveAfter(stores, save) },
    { name: 'sagas.save', run: (stores) => saveAfter(stores, save) },
    { name: 'sagas.takeDue', run: ({ sagas }) => sagas.takeDue(100) },
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
      run: ({ deliveries }) => deliveries.releaseLease(lease, failedOrNot),
    },
    {
      name: 'the attempt after a failed one, and after one that was not begun',
      run: async ({ deliveries }) => {
        const acquire = () => deliveries.acquireLeases({ limit: 100, leaseMs: claimMs })
        await deliveries.releaseLease(lease, failed)
        await deliveries.renewLeases([lease], 0)
        const next = await acquire()
        await deliveries.releaseLease({ ...lease, attempt: lease.attempt + 1 }, null)
        await deliveries.renewLeases([lease], 0)
        return [next, await acquire()]
      },
    },
    { name: 'deliveries.takeDueNotices', run: ({ deliveries }) => deliveries.takeDueNotices(100) },
    {
      name: 'the notices of an order that is cancelled again',
      run: async (stores) => {
        const notices = await stores.deliveries.takeDueNotices(100)
        await saveAfter(stores, { ...save, delivery: cancelled, status: null, lag: 0 })
        return [notices, await stores.deliveries.takeDueNotices(100)]
      },
    },
    { name: 'deliveries.endNotices', run: ({ deliveries }) => deliveries.endNotices(apiKey) },
    { name: 'restaurantLinks.find', run: ({ restaurantLinks }) => restaurantLinks.find('r1') },
    { name: 'orders.find', run: ({ orders: store }) => store.find(apiKey) },
    {
      name: 'orderStories.find',
      run: async ({ orderStories }) => (await orderStories.find({ apiKey }))?.order,
    },
    {
      name: 'orders.markReturnedIfPending',
      run: ({ orders: store }) => store.markReturnedIfPending(apiKey),
    },
    { name: 'orders.markReturned', run: ({ orders: store }) => store.markReturned(apiKey) },
    { name: 'orders.markReadIfPending', run: ({ orders: store }) => store.markReadIfPending(apiKey) },
    {
      name: 'idempotencyKeys.reclaim',
      run: async ({ idempotencyKeys }) => {
        const first = await idempotencyKeys.reclaim(scope, claimMs)
        return [first, await idempotencyKeys.reclaim(scope, claimMs)]
      },
    },
    { name: 'idempotencyKeys.markRefused', run: ({ idempotencyKeys }) => idempotencyKeys.markRefused(scope) },
    {
      name: 'idempotencyKeys.complete',
      run: ({ idempotencyKeys }) => idempotencyKeys.complete(used, response),
    },
    {
      name: 'the response after two results',
      run: async ({ idempotencyKeys }) => {
        await idempotencyKeys.complete(used, { status: 200, body: '{}' })
        await idempotencyKeys.complete(used, response)
        return idempotencyKeys.reclaim(scope, claimMs)
      },
    },
    {
      name: 'the claim after a release',
      run: async ({ idempotencyKeys }) => {
        await idempotencyKeys.release(used)
        return idempotencyKeys.reclaim(scope, claimMs)
      },
    },
    { name: 'idempotencyKeys.delete', run: ({ idempotencyKeys }) => idempotencyKeys.delete(used) },
    {
      name: 'restaurantOrders.find',
      run: async ({ restaurantOrders }) => {
        const found = await restaurantOrders.find('r1', apiKey)
        return found && { ...found, waitingSince: null, changedIn: null }
      },
    },
  ]
  return random.pick(calls)
}

/**
 * Executes one history of random statements, and returns the number of saves that had an effect. One transaction keeps now()
 * constant, like the clock of the simulation. A rollback ensures that no other history finds its rows due.
 */
async function compareOrders(seed: number): Promise<number> {
  const random = randomOf(seed)
  const prefix = `s${seed}-`
  const simulated = newMemoryStores()
  const toPlace = [1, 2, 3].map((number) => `${prefix}${number}`)
  const transaction = await orders.db.startTransaction().execute()
  const inTransaction = postgresStores(transaction)
  let saves = 0
  try {
    for (let step = 0; step < STATEMENTS; step++) {
      const next = random.next() < 0.4 ? toPlace.shift() : undefined
      const { name, run } = next === undefined ? aCall(random, prefix) : place(random, next, prefix)
      const before = REJECTED.includes(name) ? await transaction.savepoint('statement').execute() : null
      const expected = await settled(() => run(inTransaction))
      if (isRejection(expected)) await before?.rollbackToSavepoint('statement').execute()
      const result = await settled(() => run(simulated))
      expect({ seed, step, name, result }).toEqual({ seed, step, name, result: expected })
      if (name === 'sagas.save' && expected !== null) saves++
    }
  } finally {
    await transaction.rollback().execute()
  }
  return saves
}
const STATEMENTS = 60
/** The statements that a constraint may reject. After the rejection of another one, PostgreSQL would reject all further ones. */
const REJECTED = ['place', 'sagas.save']

test('the in-memory stores of orders equal PostgreSQL in 1,200 random statements', async () => {
  let saves = 0
  for (let seed = 0; seed < 20; seed++) saves += await compareOrders(seed)
  expect(saves).toBeGreaterThan(30)
})

test('one of two concurrent saves of a version succeeds, without a deadlock with addStatus', async () => {
  const random = randomOf(1)
  for (let number = 0; number < 200; number++) {
    const apiKey = `both-${number}`
    await place(random, apiKey, 'both').run(real)
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
