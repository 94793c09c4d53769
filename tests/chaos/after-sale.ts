import { setTimeout as wait } from 'node:timers/promises'
import { Api, sendTo, type ClientResponse } from '../support/api.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Change } from '../support/invariants.ts'
import { RESPONSE_WITHIN_MS, finalOf, untilFinal, type Timed } from '../support/order-clients.ts'
import type { Random } from '../support/random.ts'

const REFUNDS = [
  { amount: 0.01 },
  { amount: 2.5 },
  { items: [{ index: 0 }] },
  { all: true },
  { all: true },
] as const
/** The share of placed orders that this class changes. */
const SHARE = 0.5
/** The time after the last order. An order without a charge cannot be refunded yet. */
const RETRIED_WITHIN_MS = 120_000

/**
 * Refunds and cancellations by operators and customers, and refunds at the processor. Each request is repeated until its final
 * response.
 */
export class AfterSale {
  readonly changes: Change[] = []
  readonly #running: Promise<void>[] = []
  readonly #api: Api
  readonly #stack: StackFile
  readonly #random: Random
  #until = Infinity

  constructor(stack: StackFile, random: Random) {
    this.#stack = stack
    this.#api = new Api(() => stack)
    this.#random = random
  }

  /** Starts the change of an order after its client has received the final response. */
  begin({ key, kind, response }: Timed): void {
    const order = response?.status === 200 ? response.apiKey : null
    if (order === null || kind === 'test' || this.#random.next() > SHARE) return
    for (let left = this.#random.between(1, 3); left > 0; left--) {
      const what = this.#what()
      const change: Change = { what, order, key: `${key}-${left}`, status: null, apiKeys: [] }
      this.changes.push(change)
      const body = { ...this.#random.pick(REFUNDS), reason: 'LATE' }
      const inMs = this.#random.between(0, 2_000)
      if (change.what === 'refund at the processor') {
        this.#running.push(wait(inMs).then(() => this.#refundAtProcessor(change)))
        continue
      }
      this.#running.push(wait(inMs).then(() => this.#untilFinal(change, body)))
      // The request is sent twice at once, as by an impatient client.
      if (this.#random.next() < 0.3) this.#running.push(wait(inMs).then(() => this.#untilFinal(change, body)))
    }
  }

  /** Resolves when each request has a final response. */
  async ended(): Promise<void> {
    this.#until = performance.now() + RETRIED_WITHIN_MS
    await Promise.all(this.#running)
  }

  #what(): Change['what'] {
    const what = this.#random.next()
    if (what < 0.1) return 'cancellation by the operator'
    if (what < 0.2) return 'cancellation by the customer'
    return what < 0.4 ? 'refund at the processor' : 'refund'
  }

  async #untilFinal(change: Change, body: object): Promise<void> {
    const response = await untilFinal(() => finalOf(this.#send(change, body)), {
      pauseMs: () => this.#random.between(100, 500),
      isOver: () => performance.now() > this.#until,
    })
    if (response === null) return
    // If one of two equal requests succeeded, it counts.
    change.status = change.status === 200 ? 200 : response.status
    if (response.status === 200) change.apiKeys.push(response.body.apiKey)
  }

  /** Sends the refund once, because it has no idempotency key. An order without a capture has nothing to refund. */
  async #refundAtProcessor(change: Change): Promise<void> {
    const body = { reference: change.order, amount: this.#random.between(1, 50) }
    change.status = (await sendTo(`${this.#stack.urls.processor}/dashboard/refunds`, { body })).status
  }

  #send({ what, order, key }: Change, refund: object): Promise<ClientResponse<{ apiKey: string }>> {
    const options = { headers: { 'idempotency-key': key }, timeoutMs: RESPONSE_WITHIN_MS }
    if (what === 'cancellation by the customer')
      return this.#api.get(`order/${order}/cancel`, { ...options, method: 'POST' })
    const [path, body] = what === 'refund' ? ['refunds', refund] : ['cancel', { reason: 'Power failure' }]
    return this.#api.operator('POST', `orders/${order}/${path}`, body, options)
  }
}
