import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/*
 * Server-Sent Events (WHATWG HTML, 9.2). Written here because what is hard about them, waiting for slow readers,
 * dropping those that stand still, ending all when the process stops, is what better-sse and @fastify/sse leave
 * to their callers; what they do is the first ten lines of `start`.
 */

/** How soon a reader whose connection was cut comes back. */
const RETRY_MS = 1_000
/** docs/interface.md: a comment every 15 s, so that nobody on the way takes the connection for dead. */
const COMMENT_EVERY_MS = 15_000

/** One event; `data` is a single line, which JSON is. */
export type ServerSentEvent = { event: string; id: string; data: string }

/** Where the events go. */
export type EventSink = {
  /** Aborted when nobody reads any more, or the process stops. */
  readonly signal: AbortSignal
  /**
   * Resolves when the reader may be sent more: at once, or when it has taken what it was sent. Whoever waits for
   * it before reading more keeps no more than one event in memory for a slow reader; the rows keep the others.
   */
  send(event: ServerSentEvent): Promise<void>
}

/** What a handler gives for an answer of events: `run` sends them, and the answer ends with it. */
export class EventStream {
  readonly #streams: EventStreams
  readonly #run: (out: EventSink) => Promise<void>

  constructor(streams: EventStreams, run: (out: EventSink) => Promise<void>) {
    this.#streams = streams
    this.#run = run
  }

  /** Takes the reply over; the head goes out at once. */
  start(request: FastifyRequest, reply: FastifyReply): void {
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // The connection is of no use afterwards: its end must not leave an idle one behind that a stop waits for.
      connection: 'close',
      // For an nginx in front of us: it would collect the events.
      'x-accel-buffering': 'no',
    })
    raw.write(`retry: ${RETRY_MS}\n\n`)
    const signal = this.#streams.opened(raw)
    if (request.method === 'HEAD' || signal.aborted) return void raw.end()
    this.#run({ signal, send: (event) => send(raw, event, signal) }).then(
      () => raw.end(),
      (error: unknown) => {
        // The reader comes back and goes on where it was.
        raw.end()
        if (!signal.aborted) request.log.error({ requestId: request.id, err: error }, 'a stream failed')
      },
    )
  }
}

async function send(raw: ServerResponse, { event, id, data }: ServerSentEvent, signal: AbortSignal) {
  signal.throwIfAborted()
  if (!raw.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`)) await once(raw, 'drain', { signal })
}

/** The streams that are open in this process. */
export class EventStreams {
  readonly #open = new Map<ServerResponse, AbortController>()
  readonly #commentEveryMs: number
  #ended = false

  constructor(commentEveryMs = COMMENT_EVERY_MS) {
    this.#commentEveryMs = commentEveryMs
  }

  /** The answer of a handler. */
  answer(run: (out: EventSink) => Promise<void>): EventStream {
    return new EventStream(this, run)
  }

  /** Ends every stream, now and from now on: their readers come back to another replica and go on there. */
  end(): void {
    this.#ended = true
    for (const [raw, open] of this.#open) {
      open.abort()
      // A reader that stands still would keep us waiting.
      if (raw.writableNeedDrain) raw.destroy()
      else raw.end()
    }
  }

  /** Counts a stream in until its connection closes, and keeps it alive. The signal tells when it is over. */
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

/** A reader that has taken nothing from one comment to the next is dropped: it is gone, or comes back by its last id. */
function comment(raw: ServerResponse): () => void {
  let waited = false
  return () => {
    if (!raw.writableNeedDrain) raw.write(':\n\n')
    else if (waited) raw.destroy()
    waited = raw.writableNeedDrain
  }
}

/** Where a client goes on: the header counts more than the query parameter, which is for those that cannot send it. */
export function lastEventId(
  headers: FastifyRequest['headers'],
  query: { lastEventId?: string | undefined },
): string | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : query.lastEventId
}
