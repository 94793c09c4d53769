import { fileURLToPath } from 'node:url'
import { cents, type PaymentState, type Refusal } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { migrate } from '@platter/kit/migrate'
import { connectPostgres, type Postgres } from '@platter/kit/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PricedOrder } from '../../services/orders/src/domain/order.ts'
import { fresh, type SendOrderFacts, type State } from '../../services/orders/src/domain/saga-row.ts'
import * as realDeliveries from '../../services/orders/src/store/deliveries.ts'
import * as realKeys from '../../services/orders/src/store/idempotency-keys.ts'
import * as realOrders from '../../services/orders/src/store/orders.ts'
import * as realRestaurantOrders from '../../services/orders/src/store/restaurant-orders.ts'
import * as realSagas from '../../services/orders/src/store/sagas.ts'
import type { Db, Tables } from '../../services/orders/src/store/tables.ts'
import {
  createAuthorizations,
  type Database as Payments,
} from '../../services/payments/src/store/authorizations.ts'
import { randomOf, type Random } from '../chaos/random.ts'
import { authorizations as fakeAuthorizations } from './authorizations.ts'
import { Database } from './database.ts'
import * as fakeDeliveries from './instead/deliveries.ts'
import * as fakeKeys from './instead/idempotency-keys.ts'
import * as fakeOrders from './instead/orders.ts'
import * as fakeRestaurantOrders from './instead/restaurant-orders.ts'
import * as fakeSagas from './instead/sagas.ts'
import { enter, type Simulation } from './simulation.ts'
import { Process, World } from './world.ts'

/*
 * The simulation is worth as much as its tables are like PostgreSQL: the same random statements are made to
 * both, and have to answer the same.
 */

const log = createLog('test', 'fatal')
const HOUR_MS = 3_600_000
/** What takeDue puts off is due again after 1.6 s at the earliest: a history has to be over by then. */
const HISTORY_MS = 1_500

let orders: Postgres<Tables>
let payments: Postgres<Payments>

const migrations = (service: string) =>
  fileURLToPath(new URL(`../../services/${service}/migrations`, import.meta.url))

beforeAll(async () => {
  orders = connectPostgres<Tables>(await newDatabase(), 2, log)
  await migrate(orders.db, migrations('orders'), log)
  payments = connectPostgres<Payments>(await newDatabase(), 2, log)
  await migrate(payments.db, migrations('payments'), log)
})

afterAll(async () => {
  await Promise.all([orders.close(), payments.close()])
})

const real = {
  sagas: realSagas,
  deliveries: realDeliveries,
  orders: realOrders,
  keys: realKeys,
  restaurantOrders: realRestaurantOrders,
}
const fake: typeof real = {
  sagas: fakeSagas,
  deliveries: fakeDeliveries,
  orders: fakeOrders,
  keys: fakeKeys,
  restaurantOrders: fakeRestaurantOrders,
}
type Call = { name: string; run: (stores: typeof real, db: Db) => Promise<unknown> }

/** A world in which nothing goes wrong, and one process that makes statements. */
function calmWorld() {
  const world = new World(1, { record: false })
  world.calm = true
  enter({ world, database: new Database() } as unknown as Simulation)
  const process = new Process('test')
  return async function inWorld<T>(work: () => Promise<T>): Promise<T> {
    let answer: Promise<T> | null = null
    let isSettled = false
    world.later(0, process, () => {
      answer = work()
      void answer.then(
        () => (isSettled = true),
        () => (isSettled = true),
      )
    })
    await world.run(Infinity, () => isSettled)
    return answer!
  }
}

const settled = (work: Promise<unknown>): Promise<unknown> =>
  work.then(comparable, (error: unknown) => `rejected, key taken: ${realKeys.isTaken(error)}`)

/** Without what only one side has, or what no two sides can have in common: numbers, times. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(comparable).toSorted((one, other) => (text(one) < text(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  const {
    id: _1,
    datePlaced: _2,
    ageSeconds: _3,
    outcome,
    told: _4,
    shown: _6,
    applicationId: _5,
    ...rest
  } = value as Record<string, unknown>
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, comparable(inner)])),
    // Of a delivery; of an order only our side gives it.
    ...('overdue' in value && { outcome }),
  }
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

const aState = (random: Random): State => ({
  done: random.pick([[], ['authorize'], ['authorize', 'transmit']]),
  undone: [],
  refusal: random.pick([null, refusal]),
})
const delivery = (random: Random) =>
  random.pick([null, { busyMs: random.pick([0, HOUR_MS]), deadlineMs: random.pick([0, HOUR_MS]) }])

function accept(random: Random, apiKey: string, prefix: string): Call {
  const scope = { accessKeyId: prefix, path: '/p', key: random.pick(['k1', 'k2']), fingerprint: 'f1' }
  const payment = random.pick(['cash', 'card'] as const)
  const order = {
    method: 'pickup',
    payment,
    test: random.next() < 0.2,
    restaurantApiKey: 'r1',
    recipientApiKey: null,
    total: cents(1075),
    details: { card: null, comments: 'quick' } as PricedOrder['details'],
  } as const
  const facts: SendOrderFacts = {
    total: order.total,
    token: 't',
    userApiKey: null,
    newCard: null,
    newAddress: null,
  }
  const accepted = {
    traceparent: null,
    apiKey,
    applicationId: 'a1',
    order,
    facts,
    state: fresh,
    requestId: 'q1',
    wakeInMs: random.pick([0, HOUR_MS]),
    deadlineMs: random.pick([0, HOUR_MS]),
    delivery: delivery(random),
    idempotency: prefix === 'both' ? null : random.pick([null, { scope, busyMs: random.pick([0, HOUR_MS]) }]),
  }
  return { name: 'accept', run: ({ sagas }, db) => sagas.accept(db, accepted) }
}

function aTransition(random: Random): Parameters<typeof realSagas.move>[2] {
  const paymentState = random.pick<PaymentState | null>([null, 'AUTHORIZED', 'CHARGED', 'REFUNDED'])
  return {
    state: aState(random),
    change: {
      ...(random.next() < 0.3 && { status: 'AWAITING_PREPARATION' as const }),
      ...(paymentState && { paymentState }),
    },
    wakeInMs: random.pick([null, 0, HOUR_MS]),
    delivery: delivery(random),
    delivered: random.pick([
      null,
      { outcome: 'accepted', link: 'console' } as const,
      { outcome: 'refused', link: 'webhook' } as const,
      { outcome: 'unreachable', link: null } as const,
    ]),
    failure: random.pick([null, null, { refusal, cancellation }]),
  }
}

/** Where a move leaves its order: by which the two worlds have to tell the same to who waits. */
async function standingAfter(move: ReturnType<typeof realSagas.move>) {
  const moved = await move
  return moved && { standing: moved.standing?.kind ?? null }
}

/** One statement of the orders service, about one of three orders and two keys. */
function aCall(random: Random, prefix: string): Call {
  const apiKey = `${prefix}${random.between(1, 3)}`
  const scope = {
    accessKeyId: prefix,
    path: '/p',
    key: random.pick(['k1', 'k2']),
    fingerprint: random.pick(['f1', 'f1', 'f2']),
  }
  const used = { ...scope, orderApiKey: apiKey }
  const busyMs = random.pick([0, HOUR_MS])
  const version = random.between(0, 3)
  const row = { orderApiKey: apiKey, version } as Parameters<typeof realSagas.move>[1]
  const transition = aTransition(random)
  const takeOver = random.next() < 0.3
  const onlyUntaken = random.next() < 0.5
  const answer = random.pick([
    { status: 200, body: '{}' },
    { status: 402, body: '{"code":"card-declined"}' },
  ])
  const calls: Call[] = [
    { name: 'sagas.find', run: ({ sagas }, db) => sagas.find(db, apiKey) },
    { name: 'sagas.factsOf', run: ({ sagas }, db) => sagas.factsOf(db, apiKey) },
    { name: 'sagas.move', run: ({ sagas }, db) => standingAfter(sagas.move(db, row, transition)) },
    { name: 'sagas.move', run: ({ sagas }, db) => standingAfter(sagas.move(db, row, transition)) },
    { name: 'sagas.takeDue', run: ({ sagas }, db) => sagas.takeDue(db, 100) },
    { name: 'deliveries.read', run: ({ deliveries }, db) => deliveries.read(db, apiKey) },
    {
      name: 'deliveries.take',
      run: ({ deliveries }, db) => deliveries.take(db, apiKey, { busyMs, takeOver }),
    },
    {
      name: 'deliveries.letGo',
      run: ({ deliveries }, db) => deliveries.letGo(db, apiKey, { result: 'unknown', link: 'webhook' }),
    },
    { name: 'orders.find', run: ({ orders: store }, db) => store.find(db, apiKey) },
    { name: 'orders.exists', run: ({ orders: store }, db) => store.exists(db, apiKey) },
    { name: 'orders.standing', run: ({ orders: store }, db) => store.standing(db, apiKey) },
    { name: 'orders.tell', run: ({ orders: store }, db) => store.tell(db, apiKey) },
    { name: 'orders.markAnswered', run: ({ orders: store }, db) => store.markAnswered(db, apiKey) },
    { name: 'orders.show', run: ({ orders: store }, db) => store.show(db, apiKey) },
    { name: 'keys.use', run: ({ keys }, db) => keys.use(db, scope, busyMs) },
    { name: 'keys.keep', run: ({ keys }, db) => keys.keep(db, used, answer) },
    { name: 'keys.letGo', run: ({ keys }, db) => keys.letGo(db, used) },
    { name: 'keys.forget', run: ({ keys }, db) => keys.forget(db, used) },
    {
      name: 'restaurantOrders.find',
      run: ({ restaurantOrders }, db) => restaurantOrders.find(db, random.pick(['r1']), apiKey),
    },
    {
      name: 'restaurantOrders.cancel',
      run: ({ restaurantOrders }, db) =>
        restaurantOrders.cancel(db, apiKey, {
          refusal,
          cancellation,
          deadlineMs: HOUR_MS,
          onlyUntaken,
        }),
    },
  ]
  return random.pick(calls)
}

test('whatever is asked, the tables of orders answer as PostgreSQL does', async () => {
  for (let seed = 0; seed < 120; seed++) {
    const random = randomOf(seed)
    const prefix = `s${seed}-`
    const inWorld = calmWorld()
    // What is due would come from other histories as well.
    for (const table of ['idempotency_keys', 'deliveries', 'sagas'] as const)
      await orders.db.deleteFrom(table).execute()
    const started = Date.now()
    const toAccept = [1, 2, 3].map((number) => `${prefix}${number}`)
    for (let step = 0; step < 30 && Date.now() - started < HISTORY_MS; step++) {
      const next = random.next() < 0.4 ? toAccept.shift() : undefined
      const { name, run } = next === undefined ? aCall(random, prefix) : accept(random, next, prefix)
      const answer = await settled(run(real, orders.db))
      const given = await inWorld(() => settled(run(fake, orders.db)))
      expect({ seed, step, name, answer: given }).toEqual({ seed, step, name, answer })
    }
  }
})

test('whatever is asked, the rows of payments answer as PostgreSQL does', async () => {
  const rows = createAuthorizations(payments.db)
  for (let seed = 0; seed < 60; seed++) {
    const random = randomOf(seed)
    const inWorld = calmWorld()
    for (let step = 0; step < 12; step++) {
      const [name, call] = aPaymentsCall(random, `p${seed}`)
      const answer = await settled(call(rows))
      const given = await inWorld(() => settled(call(fakeAuthorizations)))
      expect({ seed, step, name, answer: given }).toEqual({ seed, step, name, answer })
    }
  }
})

type Rows = ReturnType<typeof createAuthorizations>

function aPaymentsCall(random: Random, orderApiKey: string): [string, (rows: Rows) => Promise<unknown>] {
  const hold = { amount: cents(random.pick([1, 2])), token: 't1' }
  const state = random.pick(['sent', 'authorized', 'captured'] as const)
  const from = { orderApiKey, state } as Parameters<Rows['move']>[0]
  const to = random.pick(['authorized', 'captured', 'voided', 'refunded'] as const)
  return random.pick<[string, (rows: Rows) => Promise<unknown>]>([
    ['find', (rows) => rows.find(orderApiKey)],
    ['send', (rows) => rows.send(orderApiKey, hold)],
    ['requestRelease', (rows) => rows.requestRelease(orderApiKey)],
    ['move', (rows) => rows.move(from, { state: to, processorId: 'x' })],
  ])
}

const move = (apiKey: string, version: number, change: Parameters<typeof realSagas.move>[2]['change']) =>
  realSagas.move(
    orders.db,
    { orderApiKey: apiKey, version },
    {
      state: fresh,
      change,
      wakeInMs: HOUR_MS,
      delivery: null,
      delivered: null,
      failure: null,
    },
  )

test('an order that moves and is cancelled at the same moment never waits for itself', async () => {
  const random = randomOf(1)
  for (let number = 0; number < 200; number++) {
    const apiKey = `both-${number}`
    await accept(random, apiKey, 'both').run(real, orders.db)
    await move(apiKey, 0, { status: 'AWAITING_PREPARATION' })
    const [, cancelled] = await Promise.all([
      move(apiKey, 1, { paymentState: 'CHARGED' }),
      realRestaurantOrders.cancel(orders.db, apiKey, {
        refusal,
        cancellation,
        deadlineMs: HOUR_MS,
        onlyUntaken: false,
      }),
    ])
    expect(cancelled?.state.refusal).toEqual(refusal)
  }
})
