import { setTimeout as wait } from 'node:timers/promises'

/** The length of a load: a number of seconds, or of requests. */
export type Load = {
  seconds?: number
  count?: number
} & (
  | {
      /** A closed loop with this number of clients. Each client sends its next request after a response. */
      clients: number
    }
  | {
      /**
       * An open loop: a request starts when it is due, and its latency counts from that time. A stall of the platform stays
       * visible.
       */
      perSecond: number
    }
)

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
  await loop.drained()
  return loop.outcome()
}

class Loop {
  readonly #send: Send
  readonly #began = performance.now()
  readonly #outcome: Outcome = {
    sent: 0,
    seconds: 0,
    byStatus: {},
    lackingRetryAfter: 0,
    failure: null,
    lateMs: [],
  }
  /** The functions that end the pending requests. */
  readonly #pending = new Set<(reply: Reply) => void>()
  /** Each new request restarts it, so every pending request is at least that old. */
  readonly #giveUp = setTimeout(() => {
    this.#isOver = true
    for (const end of this.#pending) end({ status: 0, failure: `no response within ${LOST_AFTER_MS} ms` })
  }, LOST_AFTER_MS)
  #isOver = false
  #onDrained: () => void = () => undefined

  constructor(send: Send) {
    this.#send = send
  }

  async closed({ clients, seconds = Infinity, count = Infinity }: Load & { clients: number }): Promise<void> {
    const client = async () => {
      while (!this.#isOver && this.#outcome.sent < count && performance.now() - this.#began < seconds * 1_000)
        await this.#one(performance.now())
    }
    await Promise.all(Array.from({ length: clients }, client))
  }

  /** A timer fires at least a millisecond late, so all requests that are due by then start at once. */
  async open({ perSecond, seconds = 10 }: Load & { perSecond: number }): Promise<void> {
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
  }

  async #one(due: number): Promise<void> {
    this.#giveUp.refresh()
    const { promise, resolve: end } = Promise.withResolvers<Reply>()
    this.#pending.add(end)
    const fail = (error: unknown) =>
      end({ status: 0, failure: error instanceof Error ? error.message : String(error) })
    this.#send(this.#outcome.sent++).then(end, fail)
    const reply = await promise
    this.#pending.delete(end)
    const took = (this.#outcome.byStatus[reply.status] ??= [])
    took.push(performance.now() - due)
    this.#outcome.failure ??= reply.failure ?? null
    if (reply.lacksRetryAfter) this.#outcome.lackingRetryAfter += 1
    if (this.#pending.size === 0) this.#onDrained()
  }

  /** Resolves when no request is pending. */
  async drained(): Promise<void> {
    if (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#onDrained = resolve))
    clearTimeout(this.#giveUp)
  }

  outcome(): Outcome {
    return { ...this.#outcome, seconds: (performance.now() - this.#began) / 1_000 }
  }
}
