/** Gives what is remembered under the key, or what `load` gives. */
export type Memo<V> = (key: string, load: () => Promise<V>) => Promise<V>

/**
 * Remembers for `ttlMs` what was loaded under a key, null included; failures are not remembered. At most one
 * load of a key runs at a time, and whoever asks meanwhile waits for it: however many ask at once for what
 * nobody remembers, they cost one load. Keeps at most `max` keys, the oldest go first.
 */
export function createMemo<V>({ ttlMs, max }: { ttlMs: number; max: number }): Memo<V> {
  const known = new Map<string, { value: Promise<V>; until: number }>()
  return (key, load) => {
    // The age counts from the beginning of the load: what changed since may not be in it.
    const now = performance.now()
    const entry = known.get(key)
    if (entry && now < entry.until) return entry.value
    const fresh = { value: load(), until: Number.POSITIVE_INFINITY }
    known.delete(key)
    known.set(key, fresh)
    const forget = () => {
      if (known.get(key) === fresh) known.delete(key)
    }
    fresh.value.then(() => {
      if (ttlMs > 0) fresh.until = now + ttlMs
      else forget()
    }, forget)
    const oldest = known.size > max ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return fresh.value
  }
}
