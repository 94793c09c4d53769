import { setTimeout as delay } from 'node:timers/promises'

/** The options of `until`. */
export type Waiting = {
  /** The subject of the error message. */
  readonly what: string
  readonly withinMs: number
  readonly everyMs?: number
  readonly signal?: AbortSignal | undefined
  /** Returns the reason why the condition can no longer become true, which ends the wait. */
  readonly hopeless?: () => string | null
  /** Returns output that may explain a timeout. */
  readonly evidence?: () => string
}

/** Polls until the condition is true. Throws after `withinMs`, or as soon as `hopeless` returns a reason. */
export async function until(check: () => boolean | Promise<boolean>, waiting: Waiting): Promise<void> {
  const deadline = performance.now() + waiting.withinMs
  for (;;) {
    waiting.signal?.throwIfAborted()
    if (await check()) return
    const reason = waiting.hopeless?.()
    if (reason) throw new Error(reason)
    if (performance.now() > deadline) {
      const sentence = `${waiting.what} took longer than ${Math.round(waiting.withinMs / 1000)} s`
      throw new Error([sentence, waiting.evidence?.()].filter(Boolean).join('. Its last output:\n'))
    }
    await delay(waiting.everyMs ?? 25, undefined, { signal: waiting.signal })
  }
}

/** Resolves to the promise's value, or to null after `ms`. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  const timer = new AbortController()
  try {
    return await Promise.race([promise, delay(ms, null, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
