import { setTimeout as wait } from 'node:timers/promises'

/** A closed loop: each client sends its next request after a response, for a number of seconds or of requests. */
type Closed = { clients: number; seconds?: number; count?: number }

/** An open loop: a request starts when it is due, and its latency counts from that time. A stall of the platform stays visible. */
type Open = { perSecond: number; seconds: number }

export type Load = Closed | Open

/** The result of one request. */
export type Reply = {
  /** 0 without a response. */
  status: number
  /** The description of an unexpected response. */
  failure?: string
  /** A response of 429 or 503 without `Retry-After`. */
  lacksRetryAfter?: boolean
}

export type Outcome = {
  sent: number
  seconds: number
  /** The times of the requests, in ms. */
  byStatus: Record<number, number[]>
  lackingRetryAfter: number
  /** The first failure. */
  failure: string | null
  /** The delays with which the generator itself started requests of an open loop, in ms. */
  lateMs: number[]
}

/** Sends the `n`th request, counted from 0. A rejection counts as status 0. */
export type Send = (n: number) => Promise<Reply>

/** The time without a new request after which all pending requests are lost. It exceeds the deadline of the gateway, 10 s. */
const LOST_AFTER_MS = 15_000

/** Runs a load until each request has a response or is lost. Lost requests have status 0, and end a closed loop. */
export async function runLoad(load: Load, send: Send): Promise<Outcome> {
  const loop = new Loop(send)
  await ('perSecond' in load ? loop.open(load) : loop.closed(load))
  return loop.end()
}

class Loop {
  readonly #send: Send
  readonly #began = performance.now()
  readonly #outcome: Omit<Outcome, 'seconds'> = {
    sent: 0,
    byStatus: {},
    lackingRetryAfter: 0,
    failure: null,
    lateMs: [],
  }
  /** The replies to the pending requests. A race with one promise for all would keep every request in memory. */
  readonly #pending = new Set<PromiseWithResolvers<Reply>>()
  /** Each new request restarts it, so every pending request is at least that old. */
  readonly #giveUp = setTimeout(() => {
    this.#isOver = true
    for (const { resolve } of this.#pending)
      resolve({ status: 0, failure: `no response within ${LOST_AFTER_MS} ms` })
  }, LOST_AFTER_MS)
  #isOver = false

  constructor(send: Send) {
    this.#send = send
  }

  async closed({ clients, seconds = Infinity, count = Infinity }: Closed): Promise<void> {
    const client = async () => {
      while (!this.#isOver && this.#outcome.sent < count && performance.now() - this.#began < seconds * 1_000)
        await this.#one(performance.now())
    }
    await Promise.all(Array.from({ length: clients }, client))
  }

  /** A timer fires at least a millisecond late, so all requests that are due by then start at once. */
  async open({ perSecond, seconds }: Open): Promise<void> {
    const period = 1_000 / perSecond
    const total = Math.round(perSecond * seconds)
    // Otherwise two loads that start at the same moment would send in step.
    const first = this.#began + period * Math.random()
    while (this.#outcome.sent < total) {
      const due = first + this.#outcome.sent * period
      const now = performance.now()
      if (due > now) {
        await wait(due - now)
        continue
      }
      this.#outcome.lateMs.push(now - due)
      void this.#one(due)
    }
    await Promise.all([...this.#pending].map(({ promise }) => promise))
  }

  async #one(due: number): Promise<void> {
    this.#giveUp.refresh()
    const pending = Promise.withResolvers<Reply>()
    this.#pending.add(pending)
    const fail = (error: unknown) =>
      pending.resolve({ status: 0, failure: error instanceof Error ? error.message : String(error) })
    this.#send(this.#outcome.sent++).then(pending.resolve, fail)
    const { status, failure, lacksRetryAfter } = await pending.promise
    this.#pending.delete(pending)
    const took = (this.#outcome.byStatus[status] ??= [])
    took.push(performance.now() - due)
    this.#outcome.failure ??= failure ?? null
    if (lacksRetryAfter) this.#outcome.lackingRetryAfter += 1
  }

  end(): Outcome {
    clearTimeout(this.#giveUp)
    return { ...this.#outcome, seconds: (performance.now() - this.#began) / 1_000 }
  }
}
