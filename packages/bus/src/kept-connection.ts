import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '@platter/kit'
import { connect, type ChannelModel } from 'amqplib'

const CONNECT_WITHIN_MS = 5_000
const SET_UP_WITHIN_MS = 10_000
const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 1_500

export type SetUp<S> = (model: ChannelModel, broken: (reason: Error) => void) => Promise<S>

/** `urls`: of the nodes of a cluster. */
type Options<S> = { urls: readonly string[]; name: string; setUp: SetUp<S>; log: Log }

/**
 * A connection to RabbitMQ that comes back. `setUp` makes the channels and consumers of each new
 * connection; as soon as any of them breaks, the whole connection is thrown away and made anew, so that
 * there is one way back and not one for each part. amqplib's own recovery is not used: it makes connections
 * only, and a cut while channels are made ends the process or leaves it with a dead connection for ever.
 */
export class KeptConnection<S> {
  /** What `setUp` made, or null while there is no working connection. */
  session: S | null = null
  #reason: Error = new Error('not connected to RabbitMQ yet')
  readonly #stopping = new AbortController()
  #done: Promise<void> | undefined
  readonly #connected = Promise.withResolvers<void>()
  readonly #options: Options<S>
  /** Counts the connections that were tried: each one is to the next node. */
  #tried = 0

  constructor(options: Options<S>) {
    this.#options = options
  }

  /** Begins to connect. Resolves when there is a connection, or after `withinMs` without one. */
  async start(withinMs: number): Promise<void> {
    this.#done ??= this.#keep()
    await Promise.race([this.#connected.promise, wait(withinMs, undefined, { ref: false })])
  }

  /** The session. Throws with the reason when there is none. */
  get(): S {
    if (this.session === null) throw this.#reason
    return this.session
  }

  #stops(): boolean {
    return this.#stopping.signal.aborted
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #keep(): Promise<void> {
    const { log, name } = this.#options
    let delay = FIRST_DELAY_MS
    while (!this.#stops()) {
      try {
        await this.#hold(() => (delay = FIRST_DELAY_MS))
      } catch (error) {
        this.#reason = error instanceof Error ? error : new Error(String(error))
        if (!this.#stops())
          log.warn({ connection: name, reason: this.#reason.message }, 'the connection to RabbitMQ was lost')
      }
      const jittered = delay * (0.5 + Math.random())
      await wait(jittered, undefined, { signal: this.#stopping.signal }).catch(() => 'stopped')
      delay = Math.min(delay * 2, LONGEST_DELAY_MS)
    }
  }

  /** One connection from its first byte to its end, which is always an error unless we are stopping. */
  async #hold(connected: () => void): Promise<void> {
    const { urls, name, setUp } = this.#options
    const url = urls[this.#tried++ % urls.length] ?? ''
    const model = await connect(withHeartbeat(url), {
      timeout: CONNECT_WITHIN_MS,
      noDelay: true,
      keepAlive: true,
      clientProperties: { connection_name: name },
    })
    const end = Promise.withResolvers<never>()
    end.promise.catch(() => 'seen by the race below, or the connection ended while it was being closed')
    model.on('error', end.reject)
    model.on('close', (error?: Error) => end.reject(error ?? new Error('the connection was closed')))
    try {
      const late = wait(SET_UP_WITHIN_MS, undefined, { ref: false }).then(() => {
        throw new Error('RabbitMQ did not finish the set-up in time')
      })
      this.session = await Promise.race([setUp(model, end.reject), end.promise, late])
      connected()
      this.#connected.resolve()
      await Promise.race([end.promise, untilAborted(this.#stopping.signal)])
    } finally {
      this.session = null
      await Promise.race([
        model.close().catch(() => 'it was closed already'),
        wait(1_000, undefined, { ref: false }),
      ])
      destroySocket(model)
    }
  }
}

/** Notices a silent peer within 15 s; the server's default of 60 s takes up to three minutes. */
function withHeartbeat(url: string): string {
  const parsed = new URL(url)
  parsed.searchParams.set('heartbeat', '5')
  return parsed.href
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function destroySocket(model: ChannelModel): void {
  const { stream } = model.connection as unknown as { stream?: { destroy(): void } }
  stream?.destroy()
}
