import { setTimeout as delay } from 'node:timers/promises'

/** How to wait for a condition: see `until`. */
export interface Waiting {
  /** What is waited for, for the error message. */
  readonly what: string
  readonly withinMs: number
  readonly everyMs?: number
  readonly signal?: AbortSignal | undefined
  /** Ends the waiting early: the reason why it can no longer come true. */
  readonly hopeless?: () => string | null
  /** What may explain why it took too long. */
  readonly evidence?: () => string
}

/** Asks again and again until the condition holds; throws after `withinMs`, or as soon as it is hopeless. */
export async function until(check: () => boolean | Promise<boolean>, waiting: Waiting): Promise<void> {
  const deadline = performance.now() + waiting.withinMs
  for (;;) {
    waiting.signal?.throwIfAborted()
    if (await check()) return
    const reason = waiting.hopeless?.()
    if (reason) throw new Error(reason)
    if (performance.now() > deadline) {
      const sentence = `${waiting.what} took longer than ${Math.round(waiting.withinMs / 1000)} s`
      throw new Error([sentence, waiting.evidence?.()].filter(Boolean).join('. Its last words:\n'))
    }
    await delay(waiting.everyMs ?? 25, undefined, { signal: waiting.signal })
  }
}

/** The promise's value, or null when it takes longer than `ms`. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  const timer = new AbortController()
  try {
    return await Promise.race([promise, delay(ms, null, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
