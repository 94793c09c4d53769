import type { RestaurantOrder } from '@platter/contracts'
import { batch, computed, effect } from '@preact/signals'
import { NoAnswer, Refused, STREAM } from '#/api.ts'
import { now } from '#/clock.ts'
import { line } from '#/line.ts'
import { forgetOrders, loadDone, openOrders, put, readAgain, receive, warnOfUnstarted } from '#/orders.ts'
import { forgetRestaurant, pausedUntil, readRestaurant, restaurant } from '#/restaurant.ts'
import { session, signedOutElsewhere } from '#/session.ts'

/** EventSource does not tell of a connection that is merely silent: this is how soon one that died is noticed. */
const BEAT_MS = 10_000
const BEAT_WITHIN_MS = 5_000
/** Before the first of these is over, nobody is told: a gateway that is replaced is back by then. */
const RETRY_MS = [500, 1_000, 2_000, 4_000]

/**
 * Keeps the page as the gateway has it, until the returned function is called. Every connection begins with all
 * open orders, so whatever happened while there was none is made up for, and nothing has to be remembered here.
 */
export function follow(restaurantApiKey: string): () => void {
  const connection = new Connection(restaurantApiKey)
  const beats = setInterval(() => void connection.beat(), BEAT_MS)
  const stopEffects = [
    effect(() => {
      if (isPauseOver.value) void connection.beat()
    }),
    effect(warnOfUnstarted),
  ]
  const leaving = new AbortController()
  const { signal } = leaving
  window.addEventListener('offline', () => connection.drop(), { signal })
  window.addEventListener('online', () => connection.open(), { signal })
  document.addEventListener('visibilitychange', () => void connection.beat(), { signal })
  connection.open()
  void connection.beat()
  return () => {
    leaving.abort()
    clearInterval(beats)
    for (const stop of stopEffects) stop()
    connection.close()
    batch(() => {
      forgetOrders()
      forgetRestaurant()
    })
  }
}

/** By the clock; whether it takes orders again the server has to say. */
const isPauseOver = computed(() => {
  const until = pausedUntil()
  return until !== null && until * 1_000 <= now.value
})

class Connection {
  readonly #restaurantApiKey: string
  #source: EventSource | null = null
  #retry: ReturnType<typeof setTimeout> | undefined
  #lostAt: number | null = null
  #failures = 0
  /** After the first full picture what is not known yet is new, and rings. */
  #isSettled = false
  #isClosed = false

  constructor(restaurantApiKey: string) {
    this.#restaurantApiKey = restaurantApiKey
    line.value = { state: 'connecting' }
  }

  open(): void {
    this.#disconnect()
    const source = new EventSource(STREAM)
    this.#source = source
    const seen = new Set<string>()
    source.addEventListener('order', ({ data }: MessageEvent<string>) => {
      const order = JSON.parse(data) as RestaurantOrder
      seen.add(order.apiKey)
      if (this.#isSettled) receive(order)
      else put(order)
    })
    source.addEventListener('ready', () => this.#settle(seen))
    source.addEventListener('error', () => this.drop())
  }

  /** Gives the connection up and tries again by itself. */
  drop(): void {
    this.#disconnect()
    this.#lostAt ??= now.value
    this.#failures += 1
    if (this.#failures > 1 || !navigator.onLine) line.value = { state: 'offline', since: this.#lostAt }
    this.#retry = setTimeout(() => this.open(), RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1])
    void this.beat()
  }

  /** Whether there is a gateway, and whether it still knows us as this restaurant. */
  async beat(): Promise<void> {
    try {
      await readRestaurant({ withinMs: BEAT_WITHIN_MS })
      const apiKey = restaurant.value?.apiKey ?? this.#restaurantApiKey
      if (!this.#isClosed && apiKey !== this.#restaurantApiKey)
        session.value = { state: 'in', restaurantApiKey: apiKey }
    } catch (error) {
      if (this.#isClosed) return
      if (isNotKnown(error)) signedOutElsewhere()
      else if (error instanceof NoAnswer && line.value.state === 'live') this.drop()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#disconnect()
  }

  #settle(seen: ReadonlySet<string>): void {
    this.#failures = 0
    this.#lostAt = null
    this.#isSettled = true
    line.value = { state: 'live' }
    void makeUp(seen)
  }

  #disconnect(): void {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = null
  }
}

const isNotKnown = (error: unknown) =>
  error instanceof Refused && (error.status === 401 || error.status === 403)

/** Orders that were open here and are so no more ended on another screen; and the newest of what is done. */
async function makeUp(seen: ReadonlySet<string>): Promise<void> {
  const ended = openOrders().filter(({ apiKey }) => !seen.has(apiKey))
  await Promise.allSettled([loadDone(), ...ended.map(({ apiKey }) => readAgain(apiKey))])
}
