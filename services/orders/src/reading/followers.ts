import type { ChangeStore, Position } from '#/store/changes.ts'

/**
 * Who follows orders on this replica, by order and by restaurant. A wake-up only says "read again": the rows are
 * the truth. It comes by a nudge, in about a millisecond, and by `look` at the latest.
 */
export class Followers {
  readonly #changes: ChangeStore
  readonly #ofOrders = new Map<string, Set<Follower>>()
  readonly #ofRestaurants = new Map<string, Set<Follower>>()
  /** Everything below it has woken those who followed then. */
  #seen: Position | null = null
  /** Those who came since the last look began: it may not have looked for what they follow. */
  #newcomers = new Set<Follower>()
  /** Orders that moved, whose restaurants are yet to be found. */
  readonly #moved = new Set<string>()
  #finding = false

  constructor(changes: ChangeStore) {
    this.#changes = changes
  }

  ofOrder(apiKey: string): Follower {
    return this.#join(this.#ofOrders, apiKey)
  }

  ofRestaurant(apiKey: string): Follower {
    return this.#join(this.#ofRestaurants, apiKey)
  }

  /** Heard of an order that moved. Its restaurant is looked up only where somebody follows one: a key in an index. */
  moved(orderApiKey: string): void {
    wake(this.#ofOrders, orderApiKey)
    if (this.#ofRestaurants.size === 0) return
    this.#moved.add(orderApiKey)
    if (!this.#finding) void this.#findRestaurants()
  }

  /** Wakes whoever follows what has changed since the last time: one query however many they are, none for nobody. */
  async look(): Promise<boolean> {
    if (this.#ofOrders.size + this.#ofRestaurants.size === 0) {
      this.#seen = null
      return false
    }
    const newcomers = this.#newcomers
    this.#newcomers = new Set()
    try {
      const seen = this.#seen
      const moved = await this.#changes.changedSince(seen ?? '0', {
        orders: seen === null ? [] : [...this.#ofOrders.keys()],
        restaurants: seen === null ? [] : [...this.#ofRestaurants.keys()],
      })
      this.#seen = moved.position
      for (const apiKey of moved.orders) wake(this.#ofOrders, apiKey)
      for (const apiKey of moved.restaurants) wake(this.#ofRestaurants, apiKey)
      for (const follower of newcomers) follower.wake()
    } catch (error) {
      this.#newcomers = this.#newcomers.union(newcomers)
      throw error
    }
    return false
  }

  async #findRestaurants(): Promise<void> {
    this.#finding = true
    try {
      while (this.#moved.size > 0) {
        const moved = [...this.#moved]
        this.#moved.clear()
        for (const apiKey of await this.#changes.restaurantsOf(moved)) wake(this.#ofRestaurants, apiKey)
      }
    } catch {
      // `look` finds it, and says so when the database is away.
    } finally {
      this.#finding = false
    }
  }

  #join(followed: Map<string, Set<Follower>>, apiKey: string): Follower {
    const others = followed.get(apiKey) ?? new Set()
    const follower: Follower = new Follower(() => {
      this.#newcomers.delete(follower)
      others.delete(follower)
      if (others.size === 0 && followed.get(apiKey) === others) followed.delete(apiKey)
    })
    followed.set(apiKey, others.add(follower))
    this.#newcomers.add(follower)
    return follower
  }
}

const wake = (followed: Map<string, Set<Follower>>, apiKey: string): void =>
  followed.get(apiKey)?.forEach((follower) => follower.wake())

/** One who follows, from the moment that it is made: to be made before the first read, and disposed of at the end. */
export class Follower implements Disposable {
  readonly #leave: () => void
  #woken = Promise.withResolvers<void>()

  constructor(leave: () => void) {
    this.#leave = leave
  }

  wake(): void {
    this.#woken.resolve()
  }

  /** Resolves when there was a wake-up since the last call; rejects when the signal is aborted. */
  async woken(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const stop = () => this.#woken.reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await this.#woken.promise
      this.#woken = Promise.withResolvers()
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}
