import { CancelOrder, OperatorCancelOrder, RefundOrder, RefundRequest } from '@platter/contracts'
import { callOf } from '@platter/testkit/call'
import type { Change } from '../support/invariants.ts'
import { isOpen } from '../support/order-clients.ts'
import { randomOf, type Random } from '../support/random.ts'
import { application, query, relayed, untilFinal } from './clients.ts'
import type { OrdersApi } from './processes.ts'
import { clients, world } from './simulation.ts'

const operator = { kind: 'operator', accessKeyId: 'operator-1' } as const

const BODIES = [
  { amount: 0.01 },
  { amount: 5 },
  { amount: 10.75 },
  { amount: 21.5 },
  { items: [{ index: 0 }] },
  { items: [{ index: 1 }, { index: 0, amount: 3 }] },
  { all: true },
].map((parts) => RefundRequest.parse({ ...parts, reason: 'LATE' }))

const SHARE_OF_RUNS = 0.35
const LATEST_MS = 25_000

/** Sends a request once. `request` has the parts that are common to all operations. */
type Send = (api: OrdersApi, request: object) => Promise<unknown>

/**
 * Refunds and cancellations in a part of the runs. Its random choices are separate, so the other runs are equal with and without
 * it.
 */
export class AfterSale {
  readonly changes: Change[] = []
  readonly random: Random
  readonly #isActive: boolean
  #refunds = 0

  constructor(seed: number) {
    this.random = randomOf(seed ^ 0x5e_1d)
    this.#isActive = this.random.next() < SHARE_OF_RUNS
  }

  /** Starts the changes of an order whose apiKey the client has. */
  begin(order: string): void {
    if (!this.#isActive) return
    const { random } = this
    const burstMs = random.next() * LATEST_MS
    const isBurst = random.next() < 0.3
    const inMs = () => (isBurst ? burstMs + random.next() * 100 : random.next() * LATEST_MS)
    for (let left = random.pick([0, 1, 2, 3, 4]); left > 0; left--) {
      const act = this.#act(order)
      clients.begin(inMs(), act)
      // The client sends the same request twice.
      if (random.next() < 0.2) clients.begin(inMs(), act)
    }
  }

  #act(order: string): () => Promise<void> {
    const what = this.random.next()
    if (what < 0.24) return () => this.#cancel(order, what < 0.12 ? 'customer' : 'operator')
    const key = `refund-${this.#refunds++}`
    const change = this.#newChange('refund', order, key)
    const path = RefundOrder.path.replace(':apiKey', order)
    const idempotency = { accessKeyId: 'operator-1', path, key, fingerprint: key }
    const given = { principal: operator, body: this.random.pick(BODIES), idempotency }
    return () =>
      this.#request(change, (api, request) => api.refundOrder(callOf(RefundOrder, { ...request, ...given })))
  }

  #cancel(order: string, by: 'customer' | 'operator'): Promise<void> {
    const change = this.#newChange(`cancellation by the ${by}`, order, `cancel-${order.slice(0, 4)}`)
    const body = { reason: 'power failure' }
    return this.#request(change, (api, request) =>
      by === 'customer'
        ? api.cancelOrder(callOf(CancelOrder, { ...request, principal: application }))
        : api.operatorCancelOrder(callOf(OperatorCancelOrder, { ...request, principal: operator, body })),
    )
  }

  #newChange(what: Change['what'], order: string, key: string): Change {
    const change: Change = { what, order, key, status: null, apiKeys: [] }
    this.changes.push(change)
    return change
  }

  /** Sends the request of a change until its final response. */
  async #request(change: Change, send: Send): Promise<void> {
    const { what, order: apiKey, key } = change
    const response = await untilFinal(
      async (attempts) => {
        const request = { ...relayed(), query, params: { apiKey }, requestId: `${key}.${attempts}` }
        const received = await clients.call((api) => send(api, request))
        return received && !isOpen(received.status, received.code ?? '') ? received : null
      },
      () => 300 + this.random.next() * 2_000,
    )
    const { status, code } = response
    world.note(`${what} ${key} of ${apiKey.slice(0, 4)} ended with ${status} ${code ?? ''}`)
    // If one of two equal requests succeeded, it counts.
    change.status = change.status === 200 ? 200 : status
    if (status === 200) change.apiKeys.push(response.apiKey ?? '')
  }
}
