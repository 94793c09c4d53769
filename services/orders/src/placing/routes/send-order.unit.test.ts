import type { Bus } from '@platter/bus'
import { cents, CatalogQuote, OrderRequest, SendOrder } from '@platter/contracts'
import { ConcurrencyLimit, createLog, Deadline, Problem, Rendered } from '@platter/kit'
import { callOf } from '@platter/testkit/call'
import { expect, test } from 'vitest'
import { newOrder } from '#/domain/order-state.ts'
import { fresh } from '#/domain/saga-row.ts'
import { sendOrder } from '#/placing/routes/send-order.ts'
import { Subscription } from '#/saga/subscriptions.ts'
import type { Stores } from '#/store/stores.ts'
import type { UsedKey } from '#/store/idempotency-keys.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

type Deps = Parameters<typeof sendOrder>[0]
type Keys = Pick<Stores['idempotencyKeys'], 'reclaim' | 'markRefused'>

const closed = new Problem('restaurant-closed', 'The restaurant has closed.')
const scope = { accessKeyId: 'k', path: '/publicapi/v1/send-order', key: 'key-1', fingerprint: 'f' }

const request = {
  restaurantApiKey: 'r1',
  items: [{ apiKey: 'i1' }],
  method: 'pickup',
  payment: 'cash',
  recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '6085550142' },
}

/** The key of a request. Another request with the same key places its order while catalog checks this one. */
class ConcurrentKey implements Keys {
  isRefused = false
  #used: UsedKey | null = null
  readonly #concurrent: UsedKey | null

  constructor(concurrent: UsedKey | null) {
    this.#concurrent = concurrent
  }

  reclaim = async () => this.#used
  markRefused = async () => (this.isRefused = this.#used === null)
  place(): void {
    this.#used = this.#concurrent
  }
}

/** Sends an order that catalog rejects with `problem`. */
async function send(key: ConcurrentKey, problem: Problem, idempotency: typeof scope | null = scope) {
  const bus: Pick<Bus, 'ask'> = {
    ask: async (question) => {
      if (question.name !== CatalogQuote.name) throw problem
      key.place()
      throw problem
    },
  }
  const deps = {
    bus,
    idempotencyKeys: key as Keys as Stores['idempotencyKeys'],
    notifier: { pending: { size: 0 } },
    limit: new ConcurrencyLimit({ permits: 1 }),
    cardMinimum: cents(50),
    log: createLog('test', 'silent'),
  } as unknown as Deps
  const headers: Record<string, string> = {}
  const call = callOf(SendOrder, {
    body: OrderRequest.parse(request),
    principal: { kind: 'application', applicationId: 'app', accessKeyId: 'k', mode: 'live' },
    idempotency,
    setHeader: (name, value) => void (headers[name] = value),
  })
  const response = await Promise.resolve(sendOrder(deps)(call)).catch((error: unknown) => error)
  return { response, headers }
}

test('replays a concurrent order with the same key, or refuses with idempotency-in-flight', async () => {
  const first: UsedKey = { kind: 'completed', status: 200, body: '{"apiKey":"o1"}' }
  const { response, headers } = await send(new ConcurrentKey(first), closed)
  expect(response).toEqual(new Rendered(first.body, 200))
  expect(headers).toEqual({ 'idempotent-replayed': 'true' })
  const inFlight = await send(new ConcurrentKey({ kind: 'in-flight' }), closed)
  expect(inFlight.response).toMatchObject({ code: 'idempotency-in-flight' })
})

test('a refused request marks its idempotency key as refused', async () => {
  const key = new ConcurrentKey(null)
  const { response } = await send(key, closed)
  expect(response).toBe(closed)
  expect(key.isRefused).toBe(true)
})

test('a temporary failure and a request without a key mark no key as refused', async () => {
  const key = new ConcurrentKey(null)
  const unavailable = new Problem('service-unavailable', 'A part of the service is not available.')
  expect((await send(key, unavailable)).response).toBe(unavailable)
  expect((await send(key, closed, null)).response).toBe(closed)
  expect(key.isRefused).toBe(false)
})

/** The row of the order that its restaurant has accepted. */
const transmitted = {
  order: {
    ...newOrder('a'.repeat(48), pricedOrder({ restaurantApiKey: 'r1' }), 1_790_000_000),
    outcome: 'transmitted',
    status: 'AWAITING_PREPARATION',
  },
  saga: { state: fresh },
}

const byCard = {
  payment: 'card',
  card: {
    cardholderName: 'Maria Lindqvist',
    cardholderStreetAddress: '316 W Washington Ave',
    cardholderZip: '53703',
    cvv: '314',
    cardNumber: '4242424242424242',
    expirationMonth: '09',
    expirationYear: '99',
  },
}

type Situation = {
  total?: number
  deadlineMs?: number
  pendingCount?: number
  failure?: Error
  exists?: boolean
}

/**
 * Sends an order that catalog accepts. Returns the code of the response, and the calls until the order would be placed. `failure`: of
 * commit 1. `exists`: whether the row is found afterwards.
 */
async function sendAccepted(
  changes: object,
  { total = 1_000, deadlineMs = 10_000, pendingCount = 0, failure = closed, exists = false }: Situation = {},
) {
  const calls: string[] = []
  // Woken at once, and after each read, so that no read waits for a second.
  const pending = new Subscription(() => undefined)
  pending.wake()
  const prices = { subtotal: total, tax: 0, deliveryPrice: 0, point: null, customerCancelMinutes: 5 }
  const item = { apiKey: 'i1', name: 'Slice', basePrice: total, totalPrice: total, customizationChoices: [] }
  const bus: Pick<Bus, 'ask'> = {
    ask: async (question) => question.reply.parse({ faults: [], quote: { items: [item], ...prices } }),
  }
  const deps = {
    bus,
    notifier: { pending: { size: pendingCount, add: () => pending } },
    limit: new ConcurrencyLimit({ permits: 1 }),
    cardMinimum: cents(50),
    log: createLog('test', 'silent'),
    payments: async () => (calls.push('exchange'), { token: 'tok_1', brand: 'visa', lastFour: '4242' }),
    orchestrator: {
      async place() {
        calls.push('place')
        throw failure
      },
    },
    sagas: {
      async load() {
        calls.push('load')
        pending.wake()
        return exists ? transmitted : null
      },
    },
  } as unknown as Deps
  const call = callOf(SendOrder, {
    body: OrderRequest.parse({ ...request, ...changes }),
    principal: { kind: 'application', applicationId: 'app', accessKeyId: 'k', mode: 'live' },
    deadline: Deadline.in(deadlineMs),
  })
  const response: unknown = await sendOrder(deps)(call).catch((error: unknown) => error)
  return { code: response instanceof Problem ? response.code : null, calls, response }
}

const lost = Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' })
const keyConflict = Object.assign(new Error('duplicate key'), { constraint: 'idempotency_keys_pkey' })
const defect = new Error('a defect')

test.each<[title: string, given: Situation, response: object, calls: string[]]>([
  [
    'on the key of a concurrent order is idempotency-in-flight',
    { failure: keyConflict },
    { code: 'idempotency-in-flight' },
    ['place'],
  ],
  [
    'without a confirmation and without a row has an unknown outcome (503)',
    { failure: lost },
    { code: 'service-unavailable', message: expect.stringContaining('It is unknown whether') as string },
    ['place', 'load'],
  ],
  ['on a defect rejects with that defect', { failure: defect }, defect, ['place']],
])('commit 1 that fails %s', async (_, given, response, calls) => {
  const sent = await sendAccepted({}, given)
  expect(sent.response).toMatchObject(response)
  expect([...new Set(sent.calls)]).toEqual(calls)
})

test('an order whose confirmation was lost is returned when its row exists', async () => {
  const { response } = await sendAccepted({}, { failure: lost, exists: true })
  expect(response).toBeInstanceOf(Rendered)
  expect(JSON.parse(String((response as Rendered).body))).toMatchObject({ status: 'AWAITING_PREPARATION' })
})

test.each([
  ['a card order', ['exchange', 'place'], byCard, 1_000],
  ['a test order', ['place'], { ...byCard, test: true }, 1_000],
  ['a total of 0', ['place'], byCard, 0],
])('the card of %s leads to the calls %j', async (_, calls, changes, total) => {
  expect((await sendAccepted(changes, { total })).calls).toEqual(calls)
})

test('an order that is checked within the last 1.75 s of its request is not placed (503)', async () => {
  expect(await sendAccepted({}, { deadlineMs: 1_700 })).toMatchObject({
    code: 'service-unavailable',
    calls: [],
  })
})

test('an order is rejected (503 overloaded) while 1,000 requests of a replica are pending', async () => {
  expect(await sendAccepted({}, { pendingCount: 1_000 })).toMatchObject({ code: 'overloaded', calls: [] })
  expect((await sendAccepted({}, { pendingCount: 999 })).calls).toEqual(['place'])
})
