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
 * The work of clients that a process has in hand: what waits for us, and not for a restaurant. Then the number says how
 * far behind we are (Little's law), whatever it is that is slow.
 */
export class Intake {
  readonly #limits: IntakeLimits
  #inHand = 0
  readonly #ofApplications = new Map<string, number>()

  constructor(limits: IntakeLimits) {
    this.#limits = limits
  }

  get isCrowded(): boolean {
    return this.#inHand > this.#limits.crowded
  }

  /**
   * Takes something new in hand, until it is `over`. Throws Problem overloaded when there is no room, and for an
   * application that has more in hand than there is room left: so much is left for others, however many send too much
   * (dynamic thresholds, as switches share their memory).
   */
  enter(applicationId?: string): InHand {
    const left = this.#limits.full - this.#inHand
    const own = applicationId === undefined ? 0 : (this.#ofApplications.get(applicationId) ?? 0)
    if (left <= 0 || own >= left) throw overloaded()
    this.#count(applicationId, 1)
    return new InHand(() => this.#count(applicationId, -1))
  }

  #count(applicationId: string | undefined, change: 1 | -1): void {
    this.#inHand += change
    if (applicationId === undefined) return
    const own = (this.#ofApplications.get(applicationId) ?? 0) + change
    if (own > 0) this.#ofApplications.set(applicationId, own)
    else this.#ofApplications.delete(applicationId)
  }
}

/** A piece of work in hand. It is over once, however often that is said. */
export class InHand implements Disposable {
  #leave: (() => void) | null

  constructor(leave: () => void) {
    this.#leave = leave
  }

  over(): void {
    this.#leave?.()
    this.#leave = null
  }

  [Symbol.dispose](): void {
    this.over()
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

/** At 3,000 reads a second 128 at a time are 0.04 s behind, and 512 are 0.17. */
const READS = { crowded: 128, full: 512 }

/** The reads of applications: refused when there are too many at a time. What restaurants and operators ask goes first. */
export function limitReads(app: App): void {
  const intake = new Intake(READS)
  tellCrowded(app, intake)
  app.addHook('onRequest', async ({ method, url }, { raw }) => {
    if (method !== 'GET' || !url.startsWith('/publicapi/')) return
    const inHand = intake.enter()
    raw.once('close', () => inHand.over())
  })
}
