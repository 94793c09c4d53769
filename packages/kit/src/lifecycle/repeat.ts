import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf, type Log } from '#/telemetry/log.ts'

type Work = () => Promise<boolean | void>

/** Runs the periodic work of a process. */
export class Repeaters {
  readonly #log: Log
  readonly #stopping = new AbortController()
  readonly #loops: Promise<void>[] = []

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Repeats `work`: immediately if it returns true (more work remains), otherwise after `everyMs` ±20 %, so that replicas do not
   * run at the same time. A failure is logged, and the work is repeated after the same time.
   */
  repeat(name: string, everyMs: number, work: Work): void {
    this.#loops.push(this.#loop(name, everyMs, work))
  }

  /** Resolves when the running rounds have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
  }

  async #loop(name: string, everyMs: number, work: Work): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const more = await work().catch((error: unknown) => {
        this.#log.warn({ work: name, reason: reasonOf(error) }, 'repeated work failed')
      })
      if (more !== true)
        await wait(everyMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => 'stopped')
    }
  }
}

/** Retries until success or until `signal` aborts, with a backoff that doubles from 100 ms to 2 s. */
export async function retryUntilSuccess(
  name: string,
  work: () => Promise<void>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  for (let delay = 100; !signal.aborted; delay = Math.min(delay * 2, 2_000)) {
    try {
      return await work()
    } catch (error) {
      log.warn({ work: name, reason: reasonOf(error) }, 'work failed and is retried')
      await wait(delay, undefined, { signal }).catch(() => 'stopped')
    }
  }
}
