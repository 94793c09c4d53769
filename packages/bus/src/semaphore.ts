/** The process began to stop before the work did. */
export class Stopped extends Error {}

/** Runs at most `permits` pieces of work at the same time; further work waits in order of its arrival. */
export class Semaphore {
  readonly #permits: number
  #running = 0
  #waiting: PromiseWithResolvers<void>[] = []

  constructor(permits: number) {
    this.#permits = permits
  }

  /** The result of `work`. Rejects with Stopped when the work has not begun before `stop`. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#permits) this.#running += 1
    else {
      const turn = Promise.withResolvers<void>()
      this.#waiting.push(turn)
      await turn.promise
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next.resolve()
      else this.#running -= 1
    }
  }

  /** Rejects all waiting work. */
  stop(): void {
    for (const { reject } of this.#waiting) reject(new Stopped())
    this.#waiting = []
  }
}
