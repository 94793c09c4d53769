import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '@platter/kit'
import type { Receipts } from './receipts.ts'
import type { Order, RestaurantApi } from './restaurant-api.ts'

/** A saga ends within 5 minutes. An order that its restaurant does not have long after that time is never transmitted. */
const UNKNOWN_AT_MOST_MS = 600_000

type Deps = {
  api: Pick<RestaurantApi, 'order' | 'report' | 'openOrders'>
  stepMs: number
  log: Log
  /** Rejects when `signal` is aborted. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

const realPause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal })

type Accepted = { orderApiKey: string; restaurantApiKey: string }

/** Reports the progress of accepted orders: one status every `stepMs`, until an order is handed over or cancelled. */
export class Progress {
  readonly #deps: Required<Deps>
  /** Aborts the reports of an open order. */
  readonly #open = new Map<string, AbortController>()

  constructor({ pause = realPause, ...deps }: Deps) {
    this.#deps = { pause, ...deps }
  }

  /** Starts the reports of an order, unless they are running. */
  follow(accepted: Accepted): void {
    const { orderApiKey } = accepted
    if (this.#open.has(orderApiKey)) return
    const ending = new AbortController()
    this.#open.set(orderApiKey, ending)
    void this.#reportAll(accepted, ending.signal).finally(() => this.#open.delete(orderApiKey))
  }

  /** Ends the reports of a cancelled order. */
  end(orderApiKey: string): void {
    this.#open.get(orderApiKey)?.abort()
  }

  endAll(): void {
    for (const ending of this.#open.values()) ending.abort()
  }

  /** Continues the open orders that were accepted before this process started. */
  async resume(receipts: Receipts): Promise<void> {
    for (const restaurantApiKey of receipts.restaurants)
      for (const { apiKey: orderApiKey } of await this.#deps.api.openOrders(restaurantApiKey))
        if ((await receipts.outcomeOf(orderApiKey)) === 'accepted')
          this.follow({ orderApiKey, restaurantApiKey })
  }

  async #reportAll(accepted: Accepted, signal: AbortSignal): Promise<void> {
    const { stepMs, log, pause } = this.#deps
    let order: Order | null = null
    let unknownMs = 0
    while (unknownMs < UNKNOWN_AT_MOST_MS) {
      try {
        await pause(stepMs, signal)
      } catch {
        // The order was cancelled, or the process stops.
        return
      }
      try {
        order = await this.#step(accepted, order)
        if (order?.nextStatuses.length === 0) return
        unknownMs = order ? 0 : unknownMs + Math.max(stepMs, 1)
      } catch (error) {
        // The next step repeats the report: reporting the current status again changes nothing.
        log.warn({ orderApiKey: accepted.orderApiKey, err: error }, 'progress could not be reported')
      }
    }
  }

  /** Reports the next status of an order. Returns the new state of the order; null if it must be read again. */
  async #step({ restaurantApiKey, orderApiKey }: Accepted, seen: Order | null): Promise<Order | null> {
    const { api } = this.#deps
    const order = seen ?? (await api.order(restaurantApiKey, orderApiKey))
    const [next] = order?.nextStatuses ?? []
    return next === undefined ? order : api.report(restaurantApiKey, orderApiKey, next)
  }
}
