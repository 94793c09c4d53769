import { LRUCache } from 'lru-cache'

type Bound<V> =
  | { maxEntries: number }
  | {
      maxBytes: number
      /** The limit for one value; a larger value is not cached. Default: `maxBytes`. */
      maxValueBytes?: number
      sizeOf: (value: V, key: string) => number
    }

type Settings<V> = Bound<V> & {
  /** Default: entries do not expire. */
  ttlMs?: number
}

/** Returns the value of a key, or undefined if it must not be cached. It may revalidate the expired value. */
export type Load<V> = (expired: V | undefined) => Promise<V | undefined>

type Entry<V> = { value: V; expiresAt: number }

/**
 * The in-memory cache of all processes, bounded by the number of entries or their bytes. A full cache evicts the least recently
 * used entry.
 */
export class Cache<V> {
  readonly #ttlMs: number
  readonly #entries: LRUCache<string, Entry<V>>
  readonly #loading = new Map<string, Promise<V | undefined>>()

  constructor(settings: Settings<V>) {
    this.#ttlMs = settings.ttlMs ?? Infinity
    this.#entries = new LRUCache<string, Entry<V>>(boundOf(settings))
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    return entry && performance.now() < entry.expiresAt ? entry.value : undefined
  }

  /** Returns the value, even if it has expired. */
  peek(key: string): V | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, value: V, at = performance.now()): void {
    this.#entries.set(key, { value, expiresAt: at + this.#ttlMs })
  }

  /** Removes the entry, and returns its value. */
  take(key: string): V | undefined {
    const value = this.get(key)
    this.#entries.delete(key)
    return value
  }

  /**
   * Returns the cached value or the result of `load`. A key has at most one load in progress, whose result all callers share: it is
   * never undefined if no `load` of the key returns undefined. A failure is not cached.
   */
  load(key: string, load: (expired: V | undefined) => Promise<V>): Promise<V>
  load(key: string, load: Load<V>): Promise<V | undefined>
  async load(key: string, load: Load<V>): Promise<V | undefined> {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const loading = this.#loading.get(key)
    if (loading) return loading
    const started = this.#loadAndSet(key, load)
    this.#loading.set(key, started)
    try {
      return await started
    } finally {
      this.#loading.delete(key)
    }
  }

  async #loadAndSet(key: string, load: Load<V>): Promise<V | undefined> {
    // The TTL starts when the load starts, because the value may lack a later change.
    const at = performance.now()
    const value = await load(this.peek(key))
    if (value === undefined) this.#entries.delete(key)
    else this.set(key, value, at)
    return value
  }
}

const boundOf = <V>(bound: Bound<V>) =>
  'maxEntries' in bound
    ? { max: bound.maxEntries }
    : {
        maxSize: bound.maxBytes,
        maxEntrySize: bound.maxValueBytes ?? bound.maxBytes,
        sizeCalculation: ({ value }: Entry<V>, key: string) => bound.sizeOf(value, key),
      }
