import type { RestaurantOrder } from '@platter/contracts'
import { batch, effect } from '@preact/signals'
import { NoResponse, STREAM } from '#/api.ts'
import { isBeatDue, nextStep, type Stream } from '#/beat.ts'
import { now, tick } from '#/clock.ts'
import { connection, isOffline } from '#/connection.ts'
import { menu } from '#/menu.ts'
import { clearOrders, loadDone, openOrders, put, readAgain, receive, warnOfUnstarted } from '#/orders.ts'
import { attendance, readRestaurant, reportAttendance, restaurant } from '#/restaurant.ts'
import { endSession, isSignedOut, session } from '#/session.ts'
import { dialog } from '#/ui.ts'

/** EventSource does not report a silent connection. This time and the interval of beats limit the time until it is detected. */
const BEAT_WITHIN_MS = 5_000

/**
 * Updates the page from the event stream until the returned function is called. Every connection begins with all open orders, so
 * the page misses nothing and stores no position.
 */
export function subscribe(restaurantApiKey: string): () => void {
  const stream = new EventStream(restaurantApiKey)
  const stopTicks = everySecond(() => {
    tick()
    stream.tick()
  })
  const stopWarnings = effect(warnOfUnstarted)
  const leaving = new AbortController()
  const { signal } = leaving
  window.addEventListener('offline', () => stream.drop(), { signal })
  window.addEventListener('online', () => stream.open(), { signal })
  const onVisibility = () => {
    void keepScreenOn()
    void stream.beat()
  }
  document.addEventListener('visibilitychange', onVisibility, { signal })
  stream.open()
  onVisibility()
  return () => {
    leaving.abort()
    stopTicks()
    stopWarnings()
    stream.close()
    // The next session may be of another restaurant.
    batch(() => {
      clearOrders()
      restaurant.value = null
      attendance.value = null
      menu.value = null
      dialog.value = null
    })
  }
}

/** A device that sleeps does not ring, and its restaurant closes. The browser ends the lock when it hides the page. */
async function keepScreenOn(): Promise<void> {
  try {
    await navigator.wakeLock.request('screen')
  } catch {
    // The browser refuses it for a hidden page, and while the battery is low. Browsers in apps lack the interface.
  }
}

/**
 * Calls `run` every second, even while the page is hidden. Without the worker's file, for example after an update, it runs less
 * often.
 */
function everySecond(run: () => void): () => void {
  const worker = new Worker(new URL('./ticker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setInterval> | undefined
  worker.addEventListener('message', run)
  worker.addEventListener('error', () => (timer ??= setInterval(run, 1_000)))
  return () => {
    worker.terminate()
    clearInterval(timer)
  }
}

class EventStream {
  readonly #restaurantApiKey: string
  #source: EventSource | null = null
  #stream: Stream = { state: 'waiting', lastMs: 0, failures: 0 }
  #lostAt: number | null = null
  /** After the first complete list, an unknown order is new and rings. */
  #hasList = false
  #isClosed = false
  #lastBeatMs = 0

  constructor(restaurantApiKey: string) {
    this.#restaurantApiKey = restaurantApiKey
    connection.value = { state: 'connecting' }
  }

  open(): void {
    this.#disconnect()
    const source = new EventSource(STREAM)
    this.#source = source
    this.#enter('opening')
    const seen = new Set<string>()
    source.addEventListener('order', ({ data }: MessageEvent<string>) => {
      this.#enter(this.#stream.state)
      const order = JSON.parse(data) as RestaurantOrder
      seen.add(order.apiKey)
      if (this.#hasList) receive(order)
      else put(order)
    })
    source.addEventListener('ready', () => this.#complete(seen))
    source.addEventListener('error', () => this.drop())
  }

  /** Closes the connection. A tick reopens it after a delay. */
  drop(): void {
    this.#disconnect()
    this.#lostAt ??= now.value
    const failures = this.#stream.failures + 1
    this.#enter('waiting', failures)
    if (failures > 1 || !navigator.onLine) connection.value = { state: 'offline', since: this.#lostAt }
    void this.beat()
  }

  tick(): void {
    const step = nextStep(this.#stream, Date.now())
    if (step === 'open') this.open()
    if (step === 'drop') this.drop()
    const { closedReason, pausedUntil = null } = restaurant.value ?? {}
    const isPauseOver = pausedUntil !== null && pausedUntil * 1_000 <= now.value
    const isUrgent = isOffline() || closedReason === 'unattended' || isPauseOver
    if (isBeatDue({ lastMs: this.#lastBeatMs, isUrgent }, Date.now())) void this.beat()
  }

  /**
   * Reports that the page is open, unless its stream fails: then it shows no new order. Checks that the gateway responds, and that
   * the session still belongs to this restaurant. The stream alone proves nothing: if a tablet loses its network, the stream stays
   * open at the gateway.
   */
  async beat(): Promise<void> {
    this.#lastBeatMs = Date.now()
    // A failure is ignored, including the 404 of an earlier version. The concurrent read of the restaurant detects a lost
    // connection and a lost session.
    if (!isOffline()) void reportAttendance({ withinMs: BEAT_WITHIN_MS }).catch(() => undefined)
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
    connection.value = { state: 'live' }
    // While the connection was lost, no beat reported attendance. The next one would follow up to 15 s later.
    if (this.#stream.failures > 0) void this.beat()
    this.#enter('complete', 0)
    this.#lostAt = null
    this.#hasList = true
    void readEnded(seen)
  }

  #enter(state: Stream['state'], failures = this.#stream.failures): void {
    this.#stream = { state, lastMs: Date.now(), failures }
  }

  #disconnect(): void {
    this.#source?.close()
    this.#source = null
  }
}

/** Reads the newest completed orders, and orders that were completed on another screen in the meantime. */
async function readEnded(seen: ReadonlySet<string>): Promise<void> {
  const ended = openOrders().filter(({ apiKey }) => !seen.has(apiKey))
  await Promise.allSettled([loadDone(), ...ended.map(({ apiKey }) => readAgain(apiKey))])
}
