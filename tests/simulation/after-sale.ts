import { RefundOrder, RefundRequest, type CancelOrder, type OperatorCancelOrder } from '@platter/contracts'
import type { Call } from '@platter/kit'
import type { Change } from '../support/invariants.ts'
import { isOpen } from '../support/order-clients.ts'
import { randomOf, type Random } from '../support/random.ts'
import { noHttp, type ClientResponse } from './client-response.ts'
import type { Clients } from './clients.ts'
import type { OrdersReplica } from './processes.ts'
import type { World } from './world.ts'

/** An order with the clients that send its requests. */
type Order = { orderApiKey: string; clients: Clients }

const operator = { kind: 'operator', accessKeyId: 'operator-1' }
const application = { kind: 'application', applicationId: 'application-1', accessKeyId: 'key-1' }

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
const NEVER = -1

/**
 * Refunds and cancellations in a part of the runs. Its random choices are separate, so the other runs are equal with and without
 * it.
 */
export class AfterSale {
  readonly changes: Change[] = []
  #refunds = 0
  readonly #random: Random
  readonly #isActive: boolean
  readonly #world: World
  readonly #refused = new Map<string, boolean>()
  readonly #slow = new Map<string, { until: number; fails: boolean }>()

  constructor(world: World, seed: number) {
    this.#world = world
    this.#random = randomOf(seed ^ 0x5e_1d)
    this.#isActive = this.#random.next() < SHARE_OF_RUNS
  }

  /** Starts the changes of an order whose apiKey the client has. */
  begin(orderApiKey: string, clients: Clients): void {
    if (!this.#isActive) return
    const order = { orderApiKey, clients }
    const burstMs = this.#random.next() * LATEST_MS
    const isBurst = this.#random.next() < 0.3
    const inMs = () => (isBurst ? burstMs + this.#random.next() * 100 : this.#random.next() * LATEST_MS)
    for (let left = this.#random.pick([0, 1, 2, 3, 4]); left > 0; left--) {
      const act = this.#act(order)
      clients.begin(inMs(), act)
      // The client sends the same request twice.
      if (this.#random.next() < 0.2) clients.begin(inMs(), act)
    }
  }

  /** Returns true if the processor permanently rejects a refund, because the balance of the merchant is too low. */
  isRefused(key: string): boolean {
    const known = this.#refused.get(key)
    if (known !== undefined) return known
    const isRefused = this.#random.next() < 0.1
    this.#refused.set(key, isRefused)
    return isRefused
  }

  /** Returns true if the processor will fail a refund after the state `pending`. Such a refund never moves money. */
  fails = (key: string): boolean => this.#slowOf(key).fails

  /** Returns true if the processor has received a refund that it will fail. */
  isFailing = (key: string): boolean => this.#slow.get(key)?.fails ?? false

  /**
   * Returns the state of a refund at the processor. `first`: in the response to its request, which may be repeated under its key.
   */
  stateOf(key: string, first: boolean): 'pending' | 'done' | 'failed' {
    const { until, fails } = this.#slowOf(key)
    if (until !== NEVER && (first || this.#world.now < until)) return 'pending'
    return fails ? 'failed' : 'done'
  }

  #slowOf(key: string) {
    const known = this.#slow.get(key)
    if (known) return known
    const what = this.#random.next()
    const until = what < 0.3 ? this.#world.now + this.#random.next() * 60_000 : NEVER
    const slow = { until, fails: what < 0.15 }
    this.#slow.set(key, slow)
    return slow
  }

  #act(order: Order): () => Promise<void> {
    const what = this.#random.next()
    if (what < 0.12) return () => this.#cancel(order, 'customer')
    if (what < 0.24) return () => this.#cancel(order, 'operator')
    const refund = this.#newChange('refund', order.orderApiKey, `refund-${this.#refunds++}`)
    const body = this.#random.pick(BODIES)
    return () => this.#refund(order, refund, body)
  }

  #newChange(what: Change['what'], order: string, key: string): Change {
    const change: Change = { what, order, key, status: null, last: '', apiKeys: [] }
    this.changes.push(change)
    return change
  }

  async #refund({ orderApiKey, clients }: Order, change: Change, body: RefundRequest): Promise<void> {
    const { key } = change
    const path = RefundOrder.path.replace(':apiKey', orderApiKey)
    const response = await this.#untilFinal(clients, (attempts) => (api) => {
      const idempotency = { accessKeyId: 'operator-1', path, key, fingerprint: key }
      const call = {
        ...this.#request(orderApiKey, `${key}.${attempts}`),
        principal: operator,
        body,
        idempotency,
      }
      return api.refundOrder(call as unknown as Call<typeof RefundOrder>)
    })
    this.#world.note(
      `${key} of ${orderApiKey.slice(0, 4)} ended with ${response.status} ${response.code ?? ''}`,
    )
    // If one of two equal requests succeeded, it counts.
    change.status = change.status === 200 ? 200 : response.status
    if (response.status === 200) change.apiKeys.push(response.apiKey ?? '')
  }

  async #cancel({ orderApiKey, clients }: Order, by: 'customer' | 'operator'): Promise<void> {
    const change = this.#newChange(
      `cancellation by the ${by}`,
      orderApiKey,
      `cancel-${orderApiKey.slice(0, 4)}`,
    )
    const response = await this.#untilFinal(clients, (attempts) => (api) => {
      const request = this.#request(orderApiKey, `${change.key}.${attempts}`)
      if (by === 'customer') {
        const call = { ...request, principal: application, body: undefined }
        return api.cancelOrder(call as unknown as Call<typeof CancelOrder>)
      }
      const call = { ...request, principal: operator, body: { reason: 'power failure' } }
      return api.operatorCancelOrder(call as unknown as Call<typeof OperatorCancelOrder>)
    })
    this.#world.note(`cancellation of ${orderApiKey.slice(0, 4)} by ${by} ended with ${response.status}`)
    change.status = response.status
  }

  #request(apiKey: string, requestId: string) {
    return {
      ...noHttp(),
      params: { apiKey },
      query: { 'validate-only': false },
      requestId,
      idempotency: null,
    }
  }

  async #untilFinal(
    clients: Clients,
    work: (attempts: number) => (api: OrdersReplica) => Promise<unknown>,
  ): Promise<ClientResponse> {
    for (let attempts = 1; ; attempts++) {
      const response = await clients.call(work(attempts))
      if (response && !isOpen(response.status, response.code ?? '')) return response
      await clients.pause(300 + this.#random.next() * 2_000)
    }
  }
}
