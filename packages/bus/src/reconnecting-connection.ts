import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Deadline, type Log } from '@platter/kit'
import type { ChannelModel } from 'amqplib'

const CONNECT_TIMEOUT_MS = 5_000
const SET_UP_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 1_000
const FIRST_DELAY_MS = 200
/** Orders wait for RabbitMQ after its restart, and for half of this time on average. A refused connection costs little. */
const LONGEST_DELAY_MS = 500

type SetUp<S> = (model: ChannelModel, broken: (reason: Error) => void) => Promise<S>

/** amqplib's `connect`, or a test double. */
export type Connect = (url: string, options: object) => Promise<ChannelModel>

/** How a service connects. `urls` has one URL for each node of a cluster. */
export type Connecting = { urls: readonly string[]; connect: Connect; service: string; log: Log }
type Options<S> = Connecting & { purpose: 'publish' | 'consume'; setUp: SetUp<S> }

/**
 * A connection to RabbitMQ that is replaced when it ends. `setUp` creates the channels and consumers of each new connection. If one
 * of them fails, the whole connection is closed and replaced, so there is only one recovery path. amqplib's own recovery restores
 * only connections. If the connection breaks while channels are opened, it ends the process or leaves a dead connection.
 */
export class ReconnectingConnection<S> {
  /** The result of `setUp`; null while there is no working connection. */
  session: S | null = null
  #reason: Error = new Error('not connected to RabbitMQ yet')
  readonly #stopping = new AbortController()
  #ended: Promise<void> | undefined
  readonly #connected = Promise.withResolvers<void>()
  readonly #options: Options<S>
  /** The number of connection attempts. Each attempt goes to the next node. */
  #attempts = 0

  constructor(options: Options<S>) {
    this.#options = options
  }

  /** Starts to connect. Resolves when connected, or after `timeoutMs`. */
  async start(timeoutMs: number): Promise<void> {
    this.#ended ??= this.#reconnect()
    await Deadline.in(timeoutMs).race(this.#connected.promise)
  }

  /** Returns the session. Throws the reason if no connection is open. */
  get(): S {
    if (this.session === null) throw this.#reason
    return this.session
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #reconnect(): Promise<void> {
    const { log, service, purpose } = this.#options
    let delay = FIRST_DELAY_MS
    while (!this.#isStopping()) {
      try {
        await this.#connectOnce(() => (delay = FIRST_DELAY_MS))
      } catch (error) {
        this.#reason = error instanceof Error ? error : new Error(String(error))
        const line = { connection: `${service} ${purpose}`, reason: this.#reason.message }
        if (!this.#isStopping()) log.warn(line, 'the connection to RabbitMQ was lost')
      }
      const jittered = delay * (0.5 + Math.random())
      await wait(jittered, undefined, { signal: this.#stopping.signal }).catch(() => 'stopped')
      delay = Math.min(delay * 2, LONGEST_DELAY_MS)
    }
  }

  /** Opens a connection and waits for its end. Rejects with the reason of the end, unless the process stops. */
  async #connectOnce(connected: () => void): Promise<void> {
    const { urls, connect, service, purpose, setUp } = this.#options
    const url = urls[this.#attempts++ % urls.length] ?? ''
    const socket = new AbortController()
    const options = {
      timeout: CONNECT_TIMEOUT_MS,
      noDelay: true,
      keepAlive: true,
      clientProperties: { connection_name: `${service} ${purpose}` },
      // amqplib passes the signal to net.connect. Aborting it destroys the socket: `close` never returns while the peer is frozen.
      signal: socket.signal,
    }
    const model = await connect(withHeartbeat(url), options)
    const end = Promise.withResolvers<never>()
    end.promise.catch(() => 'handled by the race below, unless the connection ends during its close')
    model.on('error', end.reject)
    model.on('close', (error?: Error) => end.reject(error ?? new Error('the connection was closed')))
    try {
      this.session = await Deadline.in(SET_UP_TIMEOUT_MS).race(
        Promise.race([setUp(model, end.reject), end.promise]),
      )
      if (this.session === null) throw new Error('RabbitMQ did not complete the set-up in time')
      connected()
      this.#connected.resolve()
      const { signal } = this.#stopping
      if (!signal.aborted) await Promise.race([end.promise, once(signal, 'abort')])
    } finally {
      this.session = null
      await Deadline.in(CLOSE_TIMEOUT_MS).race(model.close().catch(() => 'already closed'))
      socket.abort()
    }
  }
}

/** With 5 s, a dead peer is detected within 15 s. RabbitMQ's default of 60 s takes up to three minutes. */
function withHeartbeat(url: string): string {
  const parsed = new URL(url)
  parsed.searchParams.set('heartbeat', '5')
  return parsed.href
}
