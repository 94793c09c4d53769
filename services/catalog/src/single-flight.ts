/** Returns the cached value of the key, or loads it. */
export type SingleFlight<V> = (key: string, load: () => Promise<V>) => Promise<V>

/**
 * Concurrent loads of one key share a single one, however long it takes. Its value, null included, is cached for `ttlMs` from the
 * beginning of the load; a failure is not cached. At most `max` keys; the oldest is evicted first.
 */
export function singleFlight<V>({ ttlMs, max }: { ttlMs: number; max: number }): SingleFlight<V> {
  const entries = new Map<string, { value: Promise<V>; expiresAt: number }>()
  return (key, load) => {
    // From the beginning of the load: a later change may be missing from its result.
    const now = performance.now()
    const cached = entries.get(key)
    if (cached && now < cached.expiresAt) return cached.value
    const entry = { value: load(), expiresAt: Number.POSITIVE_INFINITY }
    entries.delete(key)
    entries.set(key, entry)
    const remove = () => {
      if (entries.get(key) === entry) entries.delete(key)
    }
    entry.value.then(() => {
      if (ttlMs > 0) entry.expiresAt = now + ttlMs
      else remove()
    }, remove)
    const oldest = entries.size > max ? entries.keys().next().value : undefined
    if (oldest !== undefined) entries.delete(oldest)
    return entry.value
  }
}
