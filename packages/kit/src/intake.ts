import type { App } from './http.ts'
import { Problem } from './problem.ts'

/**
 * The work of clients that a process has in hand: what waits for us, and not for a restaurant. Then the number says how
 * far behind we are (Little's law), whatever it is that is slow, and a limit to it is a limit to how long anybody waits.
 */
export class Intake {
  readonly #full: number
  #inHand = 0
  readonly #ofApplications = new Map<string, number>()

  /** `full`: pieces of work in hand at which there is no room for another one. */
  constructor(full: number) {
    this.#full = full
  }

  /**
   * Whether something new may be taken in hand. Not for an application that has twice as much in hand as there is room left:
   * something is left for others, however many send too much (dynamic thresholds, as switches share their memory).
   */
  hasRoom(applicationId?: string): boolean {
    const left = this.#full - this.#inHand
    const own = applicationId === undefined ? 0 : (this.#ofApplications.get(applicationId) ?? 0)
    return left > 0 && own < 2 * left
  }

  /** Whether there may be somebody for whom there is no room. */
  get isTight(): boolean {
    return this.#inHand * 3 >= this.#full * 2
  }

  /** Takes something new in hand, until it is `over`. Throws Problem overloaded when there is no room for it. */
  enter(applicationId?: string): InHand {
    if (!this.hasRoom(applicationId)) throw overloaded()
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

/** At 3,000 reads a second 512 at a time are 0.17 s behind. */
const READS = 512

/** The reads of applications: refused when there are too many at a time. What restaurants and operators ask goes first. */
export function limitReads(app: App): void {
  const intake = new Intake(READS)
  app.addHook('onRequest', async ({ method, url }, { raw }) => {
    if (method !== 'GET' || !url.startsWith('/publicapi/')) return
    const inHand = intake.enter()
    raw.once('close', () => inHand.over())
  })
}
