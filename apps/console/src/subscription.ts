import type { RestaurantOrder } from '@platter/contracts'
import { batch, computed, effect } from '@preact/signals'
import { NoResponse, Refused, STREAM } from '#/api.ts'
import { now } from '#/clock.ts'
import { connection } from '#/connection.ts'
import { clearOrders, loadDone, openOrders, put, readAgain, receive, warnOfUnstarted } from '#/orders.ts'
import { clearRestaurant, pausedUntil, readRestaurant, restaurant } from '#/restaurant.ts'
import { session, endSession } from '#/session.ts'

/** EventSource does not report a connection that is silent. These bound the time until a dead one is detected. */
const BEAT_MS = 10_000
const BEAT_WITHIN_MS = 5_000
/** The first retry is not shown: a gateway that restarts responds again by then. */
const RETRY_MS = [500, 1_000, 2_000, 4_000]

/**
 * Updates the page from the event stream until the returned function is called. Every connection begins with all open orders, so
 * the page misses nothing and stores no position.
 */
export function subscribe(restaurantApiKey: string): () => void {
  const stream = new EventStream(restaurantApiKey)
  const beats = setInterval(() => void stream.beat(), BEAT_MS)
  const stopEffects = [
    effect(() => {
      if (isPauseOver.value) void stream.beat()
    }),
    effect(warnOfUnstarted),
  ]
  const leaving = new AbortController()
  const { signal } = leaving
  window.addEventListener('offline', () => stream.drop(), { signal })
  window.addEventListener('online', () => stream.open(), { signal })
  document.addEventListener('visibilitychange', () => void stream.beat(), { signal })
  stream.open()
  void stream.beat()
  return () => {
    leaving.abort()
    clearInterval(beats)
    for (const stop of stopEffects) stop()
    stream.close()
    batch(() => {
      clearOrders()
      clearRestaurant()
    })
  }
}

/** True when the pause is over by the clock. The gateway decides whether the restaurant is open. */
const isPauseOver = computed(() => {
  const until = pausedUntil()
  return until !== null && until * 1_000 <= now.value
})

class EventStream {
  readonly #restaurantApiKey: string
  #source: EventSource | null = null
  #retry: ReturnType<typeof setTimeout> | undefined
  #lostAt: number | null = null
  #failures = 0
  /** After the first complete list, an unknown order is new and rings. */
  #isComplete = false
  #isClosed = false

  constructor(restaurantApiKey: string) {
    this.#restaurantApiKey = restaurantApiKey
    connection.value = { state: 'connecting' }
  }

  open(): void {
    this.#disconnect()
    const source = new EventSource(STREAM)
    this.#source = source
    const seen = new Set<string>()
    source.addEventListener('order', ({ data }: MessageEvent<string>) => {
      const order = JSON.parse(data) as RestaurantOrder
      seen.add(order.apiKey)
      if (this.#isComplete) receive(order)
      else put(order)
    })
    source.addEventListener('ready', () => this.#complete(seen))
    source.addEventListener('error', () => this.drop())
  }

  /** Closes the connection, and opens it again after a delay. */
  drop(): void {
    this.#disconnect()
    this.#lostAt ??= now.value
    this.#failures += 1
    if (this.#failures > 1 || !navigator.onLine) connection.value = { state: 'offline', since: this.#lostAt }
    this.#retry = setTimeout(() => this.open(), RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1])
    void this.beat()
  }

  /** Checks that the gateway responds, and that the session still belongs to this restaurant. */
  async beat(): Promise<void> {
    try {
      await readRestaurant({ withinMs: BEAT_WITHIN_MS })
      const apiKey = restaurant.value?.apiKey ?? this.#restaurantApiKey
      if (!this.#isClosed && apiKey !== this.#restaurantApiKey)
        session.value = { state: 'in', restaurantApiKey: apiKey }
    } catch (error) {
      if (this.#isClosed) return
      if (isSignedOut(error)) endSession()
      else if (error instanceof NoResponse && connection.value.state === 'live') this.drop()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#disconnect()
  }

  #complete(seen: ReadonlySet<string>): void {
    this.#failures = 0
    this.#lostAt = null
    this.#isComplete = true
    connection.value = { state: 'live' }
    void readEnded(seen)
  }

  #disconnect(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = null
  }
}

const isSignedOut = (error: unknown) =>
  error instanceof Refused && (error.status === 401 || error.status === 403)

/** Reads the newest completed orders, and those that were completed on another screen meanwhile. */
async function readEnded(seen: ReadonlySet<string>): Promise<void> {
  const ended = openOrders().filter(({ apiKey }) => !seen.has(apiKey))
  await Promise.allSettled([loadDone(), ...ended.map(({ apiKey }) => readAgain(apiKey))])
}
