import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/*
 * Server-Sent Events (WHATWG HTML, 9.2). better-sse and @fastify/sse would replace the first ten lines of `start`. They leave the
 * difficult parts to their callers: backpressure, closing stalled connections, and ending all streams when the process stops.
 */

/** The delay after which a disconnected client reconnects. */
const RETRY_MS = 1_000
/** A comment every 15 s keeps proxies from closing an idle connection (docs/interface.md). */
const COMMENT_EVERY_MS = 15_000

/** One event. `data` is a single line, for example JSON. */
export type ServerSentEvent = { event: string; id: string; data: string }

/** The receiver of the events. */
export type EventSink = {
  /** Aborted when the client disconnects or the process stops. */
  readonly signal: AbortSignal
  /**
   * Resolves when the connection accepts more data. A caller that awaits it before it reads more rows keeps at most one event in
   * memory for a slow client.
   */
  send(event: ServerSentEvent): Promise<void>
}

/** The result of a handler that responds with events. `run` sends them, and the response ends when `run` ends. */
export class EventStream {
  readonly #streams: EventStreams
  readonly #run: (out: EventSink) => Promise<void>

  constructor(streams: EventStreams, run: (out: EventSink) => Promise<void>) {
    this.#streams = streams
    this.#run = run
  }

  /** Hijacks the reply and sends the response head immediately. */
  start(request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack()
    const { raw } = reply
    // The client has disconnected before the handler ended. No `close` will follow, so the stream would never end.
    if (raw.destroyed) return
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // The connection closes with the stream. An idle keep-alive connection would delay the stop of the process.
      connection: 'close',
      // nginx would buffer the events.
      'x-accel-buffering': 'no',
    })
    raw.write(`retry: ${RETRY_MS}\n\n`)
    const signal = this.#streams.opened(raw)
    if (request.method === 'HEAD' || signal.aborted) return void raw.end()
    this.#run({ signal, send: (event) => send(raw, event, signal) }).then(
      () => raw.end(),
      (error: unknown) => {
        // Ends the response. The client reconnects with its last event id.
        raw.end()
        if (!signal.aborted)
          request.log.error({ requestId: request.id, err: error }, 'an event stream failed')
      },
    )
  }
}

async function send(raw: ServerResponse, { event, id, data }: ServerSentEvent, signal: AbortSignal) {
  signal.throwIfAborted()
  if (!raw.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`)) await once(raw, 'drain', { signal })
}

/** The open event streams of this process. */
export class EventStreams {
  readonly #open = new Map<ServerResponse, AbortController>()
  readonly #commentEveryMs: number
  #ended = false

  constructor(commentEveryMs = COMMENT_EVERY_MS) {
    this.#commentEveryMs = commentEveryMs
  }

  /** Returns a response that `run` fills with events. */
  respond(run: (out: EventSink) => Promise<void>): EventStream {
    return new EventStream(this, run)
  }

  /** Ends all open and all later streams, so that their clients reconnect to another replica. */
  end(): void {
    this.#ended = true
    for (const [raw, open] of this.#open) {
      open.abort()
      // `end` would wait forever for a stalled client.
      if (raw.writableNeedDrain) raw.destroy()
      else raw.end()
    }
  }

  /**
   * Registers a stream until its connection closes, and sends its comments. The returned signal aborts at the end of the stream.
   */
  opened(raw: ServerResponse): AbortSignal {
    const open = new AbortController()
    this.#open.set(raw, open)
    const comments = setInterval(comment(raw), this.#commentEveryMs)
    raw.once('close', () => {
      clearInterval(comments)
      this.#open.delete(raw)
      open.abort()
    })
    if (this.#ended) open.abort()
    return open.signal
  }
}

/**
 * Returns a function that sends a comment, or closes the connection if the client has read nothing since the last comment. The
 * client may reconnect with its last event id.
 */
function comment(raw: ServerResponse): () => void {
  let waited = false
  return () => {
    if (!raw.writableNeedDrain) raw.write(':\n\n')
    else if (waited) raw.destroy()
    waited = raw.writableNeedDrain
  }
}

/** Returns the event id after which a client continues. The header takes precedence over the query parameter. */
export function lastEventId(
  headers: FastifyRequest['headers'],
  query: { lastEventId?: string | undefined },
): string | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : query.lastEventId
}
