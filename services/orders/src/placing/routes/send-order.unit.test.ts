import type { Bus } from '@platter/bus'
import { cents, CatalogQuote, OrderRequest, type SendOrder } from '@platter/contracts'
import { ConcurrencyLimit, createLog, Deadline, Problem, Rendered, type Call } from '@platter/kit'
import { expect, test } from 'vitest'
import { sendOrder } from '#/placing/routes/send-order.ts'
import type { IdempotencyKeyStore, UsedKey } from '#/store/idempotency-keys.ts'

type Deps = Parameters<typeof sendOrder>[0]
type Keys = Pick<IdempotencyKeyStore, 'claim' | 'markRefused'>

const closed = new Problem('restaurant-closed', 'The restaurant has closed.')
const scope = { accessKeyId: 'k', path: '/publicapi/v1/send-order', key: 'key-1', fingerprint: 'f' }

/** The key of a request. Another request with the same key places its order while catalog checks this one. */
class ConcurrentKey implements Keys {
  isRefused = false
  #used: UsedKey | null = null
  readonly #concurrent: UsedKey | null

  constructor(concurrent: UsedKey | null) {
    this.#concurrent = concurrent
  }

  claim = async () => this.#used
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
    idempotencyKeys: key as Keys as IdempotencyKeyStore,
    notifier: { pendingCount: 0 },
    limit: new ConcurrencyLimit({ permits: 1 }),
    cardMinimum: cents(50),
    log: createLog('test', 'silent'),
  } as unknown as Deps
  const headers: Record<string, string> = {}
  const call = {
    body: OrderRequest.parse({
      restaurantApiKey: 'r1',
      items: [{ apiKey: 'i1' }],
      method: 'pickup',
      payment: 'cash',
      recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '6085550142' },
    }),
    principal: { kind: 'application', applicationId: 'app', accessKeyId: 'k', mode: 'live' },
    requestId: 'q',
    headers: {},
    deadline: Deadline.in(10_000),
    idempotency,
    setHeader: (name: string, value: string) => void (headers[name] = value),
  } as unknown as Call<typeof SendOrder>
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
