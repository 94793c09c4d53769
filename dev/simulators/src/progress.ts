import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '@platter/kit'
import type { Receipts } from './receipts.ts'
import type { Order, RestaurantApi } from './restaurant-api.ts'

/** A saga ends within 5 minutes: an order that its restaurant does not have long after that is never delivered. */
const UNKNOWN_AT_MOST_MS = 600_000

type Needs = {
  api: Pick<RestaurantApi, 'order' | 'report' | 'openOrders'>
  stepMs: number
  log: Log
  /** Rejects when `signal` is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

const realPause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal })

type Accepted = { orderApiKey: string; restaurantApiKey: string }

/** Reports the progress of accepted orders, each by one status every `stepMs`, until it is handed over or cancelled. */
export class Progress {
  readonly #needs: Required<Needs>
  /** By order, what ends it before it is handed over. */
  readonly #open = new Map<string, AbortController>()

  constructor({ pause = realPause, ...needs }: Needs) {
    this.#needs = { pause, ...needs }
  }

  /** Nothing for an order whose progress is already being reported. */
  follow(accepted: Accepted): void {
    const { orderApiKey } = accepted
    if (this.#open.has(orderApiKey)) return
    const ending = new AbortController()
    this.#open.set(orderApiKey, ending)
    void this.#reportAll(accepted, ending.signal).finally(() => this.#open.delete(orderApiKey))
  }

  /** The order was cancelled. */
  end(orderApiKey: string): void {
    this.#open.get(orderApiKey)?.abort()
  }

  endAll(): void {
    for (const ending of this.#open.values()) ending.abort()
  }

  /** Follows the open orders that were accepted before this process started. */
  async resume(receipts: Receipts): Promise<void> {
    for (const restaurantApiKey of receipts.restaurants)
      for (const { apiKey: orderApiKey } of await this.#needs.api.openOrders(restaurantApiKey))
        if ((await receipts.outcomeOf(orderApiKey)) === 'accepted')
          this.follow({ orderApiKey, restaurantApiKey })
  }

  async #reportAll(accepted: Accepted, signal: AbortSignal): Promise<void> {
    const { stepMs, log, pause } = this.#needs
    let order: Order | null = null
    let unknownMs = 0
    while (unknownMs < UNKNOWN_AT_MOST_MS) {
      try {
        await pause(stepMs, signal)
      } catch {
        // Cancelled, or the process stops.
        return
      }
      try {
        order = await this.#step(accepted, order)
        if (order?.nextStatuses.length === 0) return
        unknownMs = order ? 0 : unknownMs + Math.max(stepMs, 1)
      } catch (error) {
        // The next step reads the order anew.
        order = null
        log.warn({ orderApiKey: accepted.orderApiKey, err: error }, 'progress could not be reported')
      }
    }
  }

  /** Reports the next status of an order as it was last seen. Gives it as it is then; null when that has to be read. */
  async #step({ restaurantApiKey, orderApiKey }: Accepted, seen: Order | null): Promise<Order | null> {
    const { api } = this.#needs
    const order = seen ?? (await api.order(restaurantApiKey, orderApiKey))
    const [next] = order?.nextStatuses ?? []
    return next === undefined ? order : api.report(restaurantApiKey, orderApiKey, next)
  }
}
