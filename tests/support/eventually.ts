import { setTimeout as wait } from 'node:timers/promises'

/** Polls until the value matches. If it never matches, returns the last value, so that the test shows it. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  wanted: (value: T) => boolean,
  withinMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const value = await read()
    if (wanted(value) || performance.now() > started + withinMs) return value
    // A long wait ends at most a tenth later, with a fraction of the requests.
    await wait(Math.max(everyMs, (performance.now() - started) / 10))
  }
}
