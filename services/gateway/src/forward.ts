import type { ServerResponse } from 'node:http'
import { requestTimes } from '@platter/contracts'
import {
  OVERLOADED_HEADER,
  Problem,
  STOPPING_HEADER,
  notProcessedBy,
  reasonOf,
  wasNotSent,
  type Attempt,
  type Deadline,
  type Permit,
  type Replicas,
} from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { SharedResponse } from '#/shared-responses.ts'

const NEXT_BYTES_WITHIN_MS = 30_000
/** An event stream sends a comment every 15 s. If a stream is silent for this time, its replica has died. */
const NEXT_EVENT_WITHIN_MS = 45_000

/** Hop-by-hop fields (RFC 9110, 7.6.1), and fields that the gateway sets itself. */
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  STOPPING_HEADER,
  OVERLOADED_HEADER,
])

/**
 * The request to the service. `stream`: the response may last for hours, until the signal ends it. `permit` is released when a
 * replica responds, with the information whether that replica is overloaded.
 */
type ForwardedRequest = {
  /** The operation's own method. The client may have used another method (`methods.ts`). */
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  /** The deadline of the client's response. The replica's deadline is `requestTimes.relay` earlier. */
  deadline: Deadline
  stream?: AbortSignal
  permit?: Permit | undefined
}

/**
 * Forwards the request to a replica of the owning service, and relays the response byte for byte. Throws Problem
 * service-unavailable if no replica responds.
 */
export async function forwardRequest(
  replicas: Replicas,
  request: FastifyRequest,
  reply: FastifyReply,
  forwarded: ForwardedRequest,
): Promise<FastifyReply> {
  await toOneReplica(replicas, request, forwarded, async (attempt) => {
    try {
      await exchange(attempt, request, reply, forwarded)
    } catch (error) {
      // The client has received a part of the response, so no other replica may respond.
      if (!reply.sent) throw error
    }
  })
  return reply
}

/** Returns the response to a GET that may be cached (`shared-responses.ts`). Undefined for any status except 200. */
export async function requestShared(
  replicas: Replicas,
  request: FastifyRequest,
  { headers, deadline, permit }: Omit<ForwardedRequest, 'method'>,
  cached: SharedResponse | undefined,
): Promise<SharedResponse | undefined> {
  return toOneReplica(
    replicas,
    request,
    { method: 'GET', deadline },
    async ({ pool, headers: own, recordHead }) => {
      const { 'if-none-match': _, ...others } = headers
      const response = await pool.request({
        method: 'GET',
        path: withoutAccessKey(request.url),
        headers: { ...others, ...(cached?.etag !== undefined && { 'if-none-match': cached.etag }), ...own },
        signal: AbortSignal.timeout(Math.floor(deadline.remainingMs)),
      })
      recordHead(response.statusCode, response.headers)
      permit?.recordResponse(isOverloaded(response.headers))
      const body = Buffer.from(await response.body.arrayBuffer())
      const notProcessed = notProcessedBy(response.headers)
      if (notProcessed) throw notProcessed
      if (response.statusCode === 304) return cached
      if (response.statusCode !== 200) return undefined
      const { etag } = response.headers
      return {
        headers: sharedFieldsOf(response.headers),
        etag: typeof etag === 'string' ? etag : undefined,
        body,
      }
    },
  )
}

/** Fields that differ between responses with the same body. */
const PER_RESPONSE = new Set(['content-length', 'x-trace-id'])

const sharedFieldsOf = (headers: Headers): SharedResponse['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_FORWARDED.has(name) || PER_RESPONSE.has(name) ? [] : [[name, value]],
    ),
  )

/**
 * Sends a request as `Replicas.send` does, with `deadline` for the client's response. Throws Problem service-unavailable if no
 * replica responds.
 */
async function toOneReplica<T>(
  replicas: Replicas,
  { route }: FastifyRequest,
  { method, deadline }: Pick<ForwardedRequest, 'method' | 'deadline'>,
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  try {
    return await replicas.send({ method, route, deadline: deadline.earlier(requestTimes.relay) }, attempt)
  } catch (error) {
    const isOutcomeKnown = method === 'GET' || wasNotSent(error)
    const cause = new Error(`${replicas.hosts}: ${reasonOf(error)}`, { cause: error })
    throw new Problem('service-unavailable', isOutcomeKnown ? UNAVAILABLE : OUTCOME_UNKNOWN, { cause })
  }
}

const UNAVAILABLE = 'A part of the service is not available. Please try again.'
const OUTCOME_UNKNOWN =
  'A part of the service did not respond, so the outcome is unknown. Repeat the request with the same Idempotency-Key.'

/**
 * Returns the path and query without the access key, which never leaves the gateway. As in the router, the query begins at `?` or
 * `#`. Every key that the router reads must be removed here.
 */
export function withoutAccessKey(url: string): string {
  const end = url.search(/[?#]/)
  if (end < 0) return url
  const path = url.slice(0, end)
  const query = url.slice(end + 1)
  const others = query.split('&').filter((pair) => !isAccessKey(pair.split('=', 1)[0] ?? ''))
  return others.length === 0 ? path : `${path}?${others.join('&')}`
}

function isAccessKey(name: string): boolean {
  try {
    return decodeURIComponent(name) === 'access-token'
  } catch {
    // A name that cannot be decoded is not the access key's; the service rejects or ignores it.
    return false
  }
}

/** Sends one request and relays its response. Rejects without a response; then the reply is unchanged, unless it is `sent`. */
function exchange(
  { pool, headers: own, recordHead }: Attempt,
  request: FastifyRequest,
  reply: FastifyReply,
  { method, headers, deadline, stream, permit }: ForwardedRequest,
): Promise<void> {
  const options: Dispatcher.DispatchOptions = {
    method,
    path: withoutAccessKey(request.url),
    headers: { ...headers, ...own },
    body: method === 'GET' || method === 'HEAD' ? null : ((request.body as Buffer | undefined) ?? null),
    bodyTimeout: stream ? NEXT_EVENT_WITHIN_MS : NEXT_BYTES_WITHIN_MS,
  }
  const relay = new Relay(reply, stream, (status, given) => {
    clearTimeout(timer)
    recordHead(status, given)
    permit?.recordResponse(isOverloaded(given))
  })
  const abort = () => relay.abort(new Error('no response by the deadline'))
  const relayMs = deadline.limit(requestTimes.relay)
  // Exact to the millisecond; undici's headersTimeout may fire a second late. In two steps, because after a standstill of the machine
  // the response of the replica, whose own deadline has passed, is not read yet.
  let timer = setTimeout(() => {
    timer = setTimeout(abort, relayMs)
  }, deadline.remainingMs - relayMs)
  pool.dispatch(options, relay)
  return relay.ended.promise.finally(() => clearTimeout(timer))
}

type Headers = Record<string, string | string[] | undefined>

const isOverloaded = (headers: Headers): boolean => headers[OVERLOADED_HEADER] !== undefined

/**
 * Writes a response to the client as it arrives, no faster than the client reads it. `pool.request` and a pipeline would be shorter, but
 * a relayed request then takes 240 µs of CPU instead of 145.
 */
class Relay implements Dispatcher.DispatchHandler {
  readonly ended = Promise.withResolvers<void>()
  readonly #reply: FastifyReply
  readonly #raw: ServerResponse
  readonly #stream: AbortSignal | undefined
  readonly #onHead: (status: number, headers: Headers) => void
  #isWhole = false
  #controller: Dispatcher.DispatchController | null = null
  #abortedWith: Error | null = null

  constructor(
    reply: FastifyReply,
    stream: AbortSignal | undefined,
    onHead: (status: number, headers: Headers) => void,
  ) {
    this.#reply = reply
    this.#raw = reply.raw
    this.#stream = stream
    this.#onHead = onHead
  }

  /** Stops waiting for a response that has not begun. A request that still waits for a connection is never sent. */
  abort(error: Error): void {
    this.#abortedWith = error
    this.#controller?.abort(error)
    this.ended.reject(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#abortedWith) controller.abort(this.#abortedWith)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // An interim response (1xx) precedes the actual response.
    if (status < 200) return
    this.#onHead(status, headers)
    const notProcessed = notProcessedBy(headers)
    if (notProcessed) return controller.abort(notProcessed)
    // Fields of the gateway: the request id, the rate limit.
    const forwarded = this.#reply.getHeaders() as Record<string, number | string | string[]>
    this.#reply.hijack()
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && !NOT_FORWARDED.has(name)) forwarded[name] = value
    // Fastify responds to HEAD with the length 0 instead of that of the 200, or none (RFC 9110, 8.6).
    if (status === 304) delete forwarded['content-length']
    // A stopping process would wait for the idle connection of an ended stream.
    if (this.#stream) forwarded['connection'] = 'close'
    this.#raw.writeHead(status, forwarded)
    if (this.#raw.destroyed) return controller.abort(new Error('the client disconnected'))
    if (this.#stream) this.#keepFlowing(this.#stream)
    this.#raw.on('drain', () => controller.resume())
    // The client has disconnected, so the rest is not read. The service completes the request.
    this.#raw.on('close', () => {
      if (!this.#isWhole) controller.abort(new Error('the client disconnected'))
    })
  }

  /** Sends the header fields before the first event, and ends the response cleanly when the signal aborts. */
  #keepFlowing(stream: AbortSignal): void {
    this.#raw.flushHeaders()
    const end = () => (this.#raw.writableNeedDrain ? this.#raw.destroy() : this.#raw.end())
    if (stream.aborted) end()
    else stream.addEventListener('abort', end, { once: true })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#raw.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#isWhole = true
    this.#raw.end()
    this.ended.resolve()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A broken connection shows the client that its partial response is incomplete.
    if (this.#reply.sent) this.#raw.destroy()
    this.ended.reject(error)
  }
}
