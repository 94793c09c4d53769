/** Attempts at one restaurant at a time. One that answers in 300 ms takes 53 orders a second from a replica with that. */
export const PER_RESTAURANT = 16
/** Attempts that wait for a permit of one restaurant: with those that have one, as many as a replica has new orders in hand. */
export const MOST_PENDING = 240
/** Shorter than the time after which a lease is renewed (`lease.ts`), which is a commit. */
const WAIT_MS = 400

/**
 * A concurrency limit per restaurant. Without it, a restaurant that does not answer occupies every attempt of a replica for
 * 10 s each, and no other restaurant gets its orders.
 */
export class RestaurantPermits {
  readonly #waitMs: number
  readonly #queues = new Map<string, { used: number; pending: Set<() => void> }>()

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs
  }

  /** Null when no permit is free in time, or too many requests wait for one. A permit is released once, with `using`. */
  async acquire(restaurantApiKey: string): Promise<Permit | null> {
    const queue = this.#queues.get(restaurantApiKey) ?? { used: 0, pending: new Set() }
    this.#queues.set(restaurantApiKey, queue)
    if (queue.used < PER_RESTAURANT) queue.used += 1
    else if (queue.pending.size >= MOST_PENDING || !(await isHandedOver(queue.pending, this.#waitMs)))
      return null
    return {
      [Symbol.dispose]: () => {
        const [next] = queue.pending
        if (next) return next()
        queue.used -= 1
        if (queue.used === 0) this.#queues.delete(restaurantApiKey)
      },
    }
  }
}

/** First come, first served. */
function isHandedOver(pending: Set<() => void>, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const end = (isMine: boolean) => {
    clearTimeout(timer)
    pending.delete(take)
    resolve(isMine)
  }
  const take = () => end(true)
  const timer = setTimeout(end, waitMs, false)
  pending.add(take)
  return promise
}

export type Permit = Disposable
