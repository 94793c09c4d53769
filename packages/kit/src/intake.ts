import type { App } from './http.ts'
import { Problem } from './problem.ts'

/**
 * On the answers of a process that has more new work in hand than is good for it. Whoever sends it work should send
 * less, before it has to refuse any: the gateway does (its `shedding.ts`).
 */
export const CROWDED_HEADER = 'x-platter-crowded'

/** Pieces of work in hand from which on a process says that it is crowded, and refuses more. */
export type IntakeLimits = { crowded: number; full: number }

/**
 * The new work that a process has in hand. It counts what waits for nothing but ourselves: then the number says how
 * far behind we are (Little's law), whatever it is that is slow, and a slow restaurant does not count as a crowd.
 */
export class Intake {
  readonly #limits: IntakeLimits
  #inHand = 0

  constructor(limits: IntakeLimits) {
    this.#limits = limits
  }

  get isCrowded(): boolean {
    return this.#inHand > this.#limits.crowded
  }

  /** Does something new. Throws Problem overloaded when there is no room, before anything of it has begun. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    this.enter()
    return this.#finish(work)
  }

  /** Goes on with what was taken before: counted, and never refused. */
  async goOn<T>(work: () => Promise<T>): Promise<T> {
    this.#inHand += 1
    return this.#finish(work)
  }

  /** As `take`, for work whose end is told by `leave`. */
  enter(): void {
    if (this.#inHand >= this.#limits.full) throw overloaded()
    this.#inHand += 1
  }

  leave(): void {
    this.#inHand -= 1
  }

  async #finish<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      this.leave()
    }
  }
}

/** Nothing of it was done, and soon there may be room; not for all who come back at the same moment, though. */
export const overloaded = () =>
  new Problem('overloaded', 'There is more to do than we can at this moment. Please try again.', {
    retryAfterSeconds: 1 + Math.floor(Math.random() * 3),
  })

/** Has every answer say when the process is crowded. */
export function tellCrowded(app: App, intake: Intake): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (intake.isCrowded) void reply.header(CROWDED_HEADER, 'true')
    done()
  })
}

/**
 * Reads take a few milliseconds: 32 of one replica at a time are some hundredths of a second behind. A gateway has 64
 * connections to each, so that it is told before it is the one who waits.
 */
const READS = { crowded: 32, full: 256 }

/** The reads of applications: refused when there are too many at a time. What restaurants and operators ask goes first. */
export function limitReads(app: App): void {
  const intake = new Intake(READS)
  tellCrowded(app, intake)
  app.addHook('onRequest', async ({ method, url }, { raw }) => {
    if (method !== 'GET' || !url.startsWith('/publicapi/')) return
    intake.enter()
    raw.once('close', () => intake.leave())
  })
}
