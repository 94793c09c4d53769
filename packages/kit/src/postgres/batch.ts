import { inActiveTrace } from '#/telemetry/spans.ts'

type Call<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** Runs work in the trace of the call. A statement belongs to the trace of its first item. */
  inTrace: <T>(work: () => T) => T
}

/** The work of a batch. `run` returns one result for each item, in their order. */
type Batching<On, Item, Result> = {
  run: (on: On, items: readonly Item[]) => Promise<readonly Result[]>
  /**
   * Needed for writes. Two items with the same key are never in one statement, because the second would not see the first write.
   */
  keyOf?: (item: Item) => string
  /**
   * The milliseconds for which a call waits for further calls, if no request waits for the result. Default: until the end of the
   * event loop's turn.
   */
  batchDelayMs?: number
}

/** With one concurrent statement, a call waits for up to two statements. A second statement uses the idle time of the first. */
const CONCURRENT_STATEMENTS = 2
/**
 * A larger batch makes the statement slower but hardly cheaper (PostgreSQL's CPU per order: 0.26 ms at 32, 0.36 at 8, 1.2 at 1).
 */
const MAX_BATCH = 64

/**
 * SQLSTATE classes of a statement without effect: data, constraints, rollbacks, locks. A statement timeout (57014) is absent: no
 * item is at fault, and 64 statements of up to 4 s each would commit long after their requests have failed.
 */
const REJECTED = /^(22|23|40|55)/

/**
 * Combines many calls into one statement and one commit. A statement starts at the end of the event loop's turn: the calls from one
 * socket read share it, and a single call does not wait for a timer. Calls that arrive while two statements run share the next
 * statement. If PostgreSQL rejects the statement, each item is executed alone, so that only the faulty item fails. If the outcome
 * of the statement is unknown, all of its items fail.
 */
export function batched<On extends object, Item, Result>(
  batching: Batching<On, Item, Result>,
): (on: On, item: Item) => Promise<Result> {
  const batches = new WeakMap<On, Batches<On, Item, Result>>()
  return (on, item) => {
    let here = batches.get(on)
    if (!here) batches.set(on, (here = new Batches(on, batching)))
    return here.add(item)
  }
}

/** Returns the row of each key, in the order of the keys; null for a key without a row. */
export function matched<Row>(
  keys: readonly string[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): (Row | null)[] {
  const found = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => found.get(key) ?? null)
}

class Batches<On, Item, Result> {
  readonly #on: On
  readonly #batching: Batching<On, Item, Result>
  #waiting: Call<Item, Result>[] = []
  #running = 0
  #isScheduled = false

  constructor(on: On, batching: Batching<On, Item, Result>) {
    this.#on = on
    this.#batching = batching
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, resolve, reject, inTrace: inActiveTrace() })
    this.#schedule()
    return promise
  }

  /**
   * `setImmediate` runs after all callbacks of the current poll phase. If the statement started at the first call, most statements
   * had one order, and a card order took 1.2 to 1.4 times as much CPU at 16 clients.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#running >= CONCURRENT_STATEMENTS) return
    this.#isScheduled = true
    const run = () => {
      this.#isScheduled = false
      this.#runNext()
    }
    const { batchDelayMs = 0 } = this.#batching
    // A full batch starts immediately. Otherwise a backlog would be limited to one batch per `batchDelayMs`.
    if (batchDelayMs > 0 && this.#waiting.length < MAX_BATCH) setTimeout(run, batchDelayMs)
    else setImmediate(run)
  }

  #runNext(): void {
    const calls = this.#nextBatch()
    const [first] = calls
    if (!first) return
    this.#running += 1
    void first.inTrace(async () => {
      await this.#settle(calls)
      this.#running -= 1
      this.#schedule()
    })
    // The remaining calls, for example a second item of one row, start in the other statement.
    this.#schedule()
  }

  #nextBatch(): Call<Item, Result>[] {
    const { keyOf } = this.#batching
    const batch = new Map<unknown, Call<Item, Result>>()
    const rest: Call<Item, Result>[] = []
    for (const call of this.#waiting) {
      const key = keyOf ? keyOf(call.item) : call
      if (batch.size < MAX_BATCH && !batch.has(key)) batch.set(key, call)
      else rest.push(call)
    }
    this.#waiting = rest
    return [...batch.values()]
  }

  async #settle(calls: readonly Call<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#batching.run(
        this.#on,
        calls.map(({ item }) => item),
      )
      for (const [at, call] of calls.entries()) call.resolve(results[at] as Result)
    } catch (error) {
      if (calls.length > 1 && wasRejected(error)) for (const call of calls) await this.#settle([call])
      else for (const call of calls) call.reject(error)
    }
  }
}

const wasRejected = (error: unknown): boolean =>
  error instanceof Error && REJECTED.test((error as NodeJS.ErrnoException).code ?? '')
