/** The work was still waiting when its process began to stop. */
export class Stopped extends Error {}

/** Runs at most so many pieces of work at a time; the others wait in their order. */
export class Concurrency {
  readonly #limit: number
  #running = 0
  #waiting: PromiseWithResolvers<void>[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Rejects with Stopped when the work has not begun by then. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1
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

  /** What waits is not begun any more. */
  stop(): void {
    for (const { reject } of this.#waiting) reject(new Stopped())
    this.#waiting = []
  }
}
