/** Requests on this replica that wait for their order. A wake-up is a nudge only: the row is the answer. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Wakes those who wait for the order. */
  wake(orderApiKey: string): void {
    for (const resolve of this.#waiting.get(orderApiKey) ?? []) resolve()
  }

  /**
   * Calls `read` until it gives something or the time is up (null). It registers before the first read, so
   * that no wake-up falls between; between reads it waits for a wake-up, 250 ms at most, so that it works
   * with RabbitMQ away as well.
   */
  async until<T>(orderApiKey: string, read: () => Promise<T | null>, withinMs: number): Promise<T | null> {
    const end = performance.now() + withinMs
    for (let pause = 50; ; pause = Math.min(pause * 2, 250)) {
      const woken = this.#register(orderApiKey)
      try {
        const found = await read()
        if (found !== null) return found
        const left = end - performance.now()
        if (left <= 0) return null
        await woken.within(Math.min(pause, left))
      } finally {
        woken.forget()
      }
    }
  }

  #register(orderApiKey: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(orderApiKey) ?? new Set()
    this.#waiting.set(orderApiKey, waiting.add(resolve))
    let timer: NodeJS.Timeout | undefined
    return {
      within(ms: number): Promise<void> {
        timer = setTimeout(resolve, ms)
        return promise
      },
      forget: () => {
        clearTimeout(timer)
        waiting.delete(resolve)
        if (waiting.size === 0) this.#waiting.delete(orderApiKey)
      },
    }
  }
}
