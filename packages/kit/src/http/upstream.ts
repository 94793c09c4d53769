import { FaultShape, type Operation, type Principal, type ProblemCode } from '@platter/contracts'
import { Pool } from 'undici'
import { z } from 'zod'
import { Deadline } from '#/http/deadline.ts'
import { PRINCIPAL_HEADER, principalSigner, type InternalSecrets } from '#/security/principal-token.ts'
import { Problem } from '#/http/problem.ts'
import { reasonOf } from '#/telemetry/log.ts'
import { histogram } from '#/telemetry/metrics.ts'
import { inSpan, SpanKind, traceHeaders, type SpanDescription } from '#/telemetry/spans.ts'

/** Errors that occur before a byte of the request is sent. The request had no effect, so the caller may try another replica. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  // The certificate of the replica is verified before the request is sent.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

export const wasNotSent = (error: unknown): boolean =>
  error instanceof NotProcessed || NOT_SENT.has((error as NodeJS.ErrnoException).code ?? '')

/**
 * Set on the response of a replica that has not processed the request: the reason. Another replica may process it. The version before
 * reads this name.
 */
export const NOT_PROCESSED_HEADER = 'x-platter-starting'

/** Set on every response of a stopping replica. */
export const STOPPING_HEADER = 'x-platter-stopping'

/** A replica has responded, and has not processed the request. */
class NotProcessed extends Error {}

/** Returns the error of a replica that has not processed the request; null for any other response. */
export function notProcessedBy(headers: Readonly<Record<string, unknown>>): Error | null {
  const reason = headers[NOT_PROCESSED_HEADER]
  return typeof reason === 'string' ? new NotProcessed(reason) : null
}

/**
 * For each Agent and Pool of undici. While a server may speak HTTP/2, undici opens one connection to it at a time until one succeeds.
 * The other requests wait even after their time limits: six calls of a server without a response failed one after another, after 1.5
 * to 9 s, with a limit of 1 s for connecting.
 */
export const HTTP_1_ONLY = { allowH2: false } as const

/** Callers close idle connections before a stopping replica closes them. The replica's close could interrupt a request. */
const IDLE = { keepAliveTimeout: 2_000, keepAliveMaxTimeout: 2_000 }

/**
 * Callers avoid a stopping replica for this time. The replica marks its responses and listens for half a second more, so that no
 * caller connects when it stops listening. The kernel resets such connections, and the caller cannot tell whether the replica read
 * the request. Measured: 6 resets at each stop with 8 clients that connect continuously.
 */
const AVOID_MS = 1_000

/**
 * The maximum number of connections to a replica; they are opened on demand. An order occupies a connection while it waits up to 8
 * s for its restaurant. With 64 connections, one slow restaurant would block the orders of all others.
 */
const CONNECTIONS = 1_024

const measure = histogram('http.client.request.duration')

/**
 * A request to one of the replicas. `route` is the path template, because paths contain keys. `deadline` is that of the replica's
 * response.
 */
type Target = { method: string; route: string | undefined; deadline: Deadline }

/** An attempt to send a request to one replica. */
export type Attempt = {
  pool: Pool
  /** The header fields with the trace and the remaining time. */
  headers: Record<string, string>
  /** Must be called with the head of the response. */
  recordHead: (status: number, headers: Readonly<Record<string, unknown>>) => void
}

type Replica = {
  readonly pool: Pool
  readonly address: URL
  /** Callers avoid the replica until this time, by `performance.now()`. */
  avoidUntil: number
}

/** The replicas of an upstream. Each has a pool of keep-alive connections. */
export class Replicas {
  readonly #replicas: readonly Replica[]
  #turn = 0

  constructor(urls: readonly string[], options: Pool.Options = {}) {
    this.#replicas = urls.map((url) => ({
      pool: new Pool(url, {
        ...HTTP_1_ONLY,
        connections: CONNECTIONS,
        connectTimeout: 1_000,
        ...IDLE,
        ...options,
      }),
      address: new URL(url),
      avoidUntil: 0,
    }))
  }

  /**
   * Sends a request to the replicas in turn, until the deadline. A replica that accepts no connection is skipped, because nothing
   * was sent. After sending, the outcome is unknown, so only a GET is sent to another replica. Rejects with the error of the last
   * attempt.
   */
  async send<T>(target: Target, attempt: (attempt: Attempt) => Promise<T>): Promise<T> {
    const { method, deadline } = target
    let lastError: unknown
    for (const replica of this.#inTurn()) {
      try {
        return await sendTo(replica, target, attempt)
      } catch (error) {
        lastError = error
        if ((!wasNotSent(error) && method !== 'GET') || deadline.isOver) break
      }
    }
    throw lastError
  }

  /** Returns all replicas, starting with the next one at each call (round robin). Stopping replicas are last. */
  #inTurn(): Replica[] {
    // A single URL may be a Service of Kubernetes: a second connection probably reaches another replica.
    const all = this.#replicas.length > 1 ? this.#replicas : [...this.#replicas, ...this.#replicas]
    const start = this.#turn++ % all.length
    const now = performance.now()
    const isStopping = ({ avoidUntil }: Replica) => avoidUntil > now
    return [...all.slice(start), ...all.slice(0, start)].toSorted(
      (one, other) => Number(isStopping(one)) - Number(isStopping(other)),
    )
  }

  /** The hosts and ports of the replicas, for the log. */
  get hosts(): string {
    return this.#replicas.map(({ address }) => address.host).join(', ')
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ pool }) => pool.destroy()))
  }
}

/** Makes one attempt within a span. */
function sendTo<T>(
  replica: Replica,
  { method, route, deadline }: Target,
  attempt: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { pool, address } = replica
  return inSpan(
    () => clientSpan(method, address, route),
    (span) => {
      const started = performance.now()
      const recordHead: Attempt['recordHead'] = (status, headers) => {
        span?.setAttribute('http.response.status_code', status)
        measure((performance.now() - started) / 1_000, {
          'http.request.method': method,
          'server.address': address.hostname,
          'url.template': route ?? '',
          'http.response.status_code': status,
        })
        if (headers[STOPPING_HEADER] !== undefined) replica.avoidUntil = performance.now() + AVOID_MS
      }
      return attempt({ pool, headers: { ...traceHeaders(), ...deadline.header }, recordHead })
    },
  )
}

/** Returns the span of an outgoing HTTP request. `route` must be a template without keys, or undefined. */
export function clientSpan(method: string, address: URL, route: string | undefined): SpanDescription {
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'url.template': route }),
      'server.address': address.hostname,
      'server.port': portOf(address),
    },
  }
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80)

type Body<O extends Operation> = O['body'] extends z.ZodType ? z.input<O['body']> : undefined

/** The request that causes an internal call, for example a `Call`. Without a deadline only the timeout of the call applies. */
export type RequestContext = { requestId: string; deadline?: Deadline }

/**
 * Returns `call`, which calls internal operations of another service and returns the response. `call` throws the Problem of the
 * response, or `service-unavailable` without a response in time. The limits are `timeoutMs` and the remaining time of `deadline`,
 * the deadline of the causing request.
 */
export function internalCaller(options: {
  service: string
  secrets: InternalSecrets
  replicas: Replicas
  timeoutMs: number
}) {
  const sign = principalSigner(options.secrets)
  const principal: Principal = { kind: 'service', service: options.service }
  return async function call<O extends Operation>(
    operation: O,
    body: Body<O>,
    { requestId, deadline = Deadline.in(options.timeoutMs) }: RequestContext,
  ): Promise<z.output<O['response']>> {
    const fields = {
      'content-type': 'application/json',
      'x-request-id': requestId,
      [PRINCIPAL_HEADER]: await sign(principal, operation.owner),
    }
    const payload = JSON.stringify(body)
    // One deadline for all replicas together, until the last byte of the response.
    const own = Deadline.in(deadline.limit(options.timeoutMs))
    const signal = AbortSignal.timeout(Math.floor(own.remainingMs))
    const target = { method: operation.method, route: operation.path, deadline: own }
    try {
      return await options.replicas.send(target, async ({ pool, headers, recordHead }) => {
        const response = await pool.request({
          method: operation.method,
          path: operation.path,
          headers: { ...fields, ...headers },
          body: payload,
          signal,
        })
        recordHead(response.statusCode, response.headers)
        const document = await response.body.json()
        const notProcessed = notProcessedBy(response.headers)
        if (notProcessed) throw notProcessed
        if (response.statusCode !== 200) throw problemFrom(operation, document, response.headers)
        return operation.response.parse(document) as z.output<O['response']>
      })
    } catch (error) {
      throw error instanceof Problem ? error : unavailable(operation, error)
    }
  }
}

const unavailable = ({ owner }: Operation, cause: unknown) =>
  new Problem('service-unavailable', `The ${owner} service is not available. Please try again.`, {
    // Names the service in the log.
    cause: new Error(`${owner}: ${reasonOf(cause)}`, { cause }),
  })

const Document = z.object({
  code: z.string(),
  detail: z.string(),
  declineCode: z.string().optional(),
  errors: z.array(FaultShape),
})

/**
 * Returns the problem of the response if the operation declares it or it is temporary; service-unavailable for a service without the
 * operation. Any other problem is a defect: internal-error.
 */
function problemFrom(operation: Operation, document: unknown, headers: Record<string, unknown>): Problem {
  const { code, detail, declineCode, errors } = Document.parse(document)
  // During an upgrade the other service may still have the version before.
  if (code === 'no-such-endpoint') return unavailable(operation, new Error(`it has no ${operation.name} yet`))
  const known = [...operation.problems, 'service-unavailable', 'overloaded'].find(
    (expected) => expected === code,
  )
  if (!known)
    return new Problem('internal-error', 'Something went wrong on our side.', {
      cause: new Error(`${operation.name}: ${code}: ${detail}`),
    })
  const wait = Number(headers['retry-after'])
  return new Problem(known as ProblemCode, detail, {
    declineCode,
    faults: errors,
    ...(wait > 0 && { retryAfterSeconds: wait }),
  })
}
