import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ContractFault } from '#/testing/processor-world.ts'
import { Refused } from '#/testing/stripe-refusals.ts'
import { StripeState } from '#/testing/stripe-state.ts'
import { parameterFault, PARAMETERS, readForm, type Refusal } from '#/testing/stripe-parameters.ts'

type Kind = keyof typeof PARAMETERS
type Reply = { status: number; headers?: Record<string, string>; body: object }

/** A fault of one request. When a request fails after the endpoint began, Stripe stores the response under the key. */
type StripeFault = ContractFault | 'error-before-effect' | 'other-currency' | 'other-order'

type Injection = (step: {
  work: () => Reply
  /** Stores a response under the key of its request, and returns it. */
  done: (reply: Reply) => Reply
  ms: number
}) => Reply | null | Promise<Reply | null>

const INJECTIONS: Record<StripeFault, Injection> = {
  'drop-request': () => null,
  'drop-reply': ({ work, done }) => {
    done(work())
    return null
  },
  'error-before-effect': ({ done }) => done(errorOf(SERVER_ERROR)),
  'error-after-effect': ({ work, done }) => {
    work()
    return done(errorOf(SERVER_ERROR))
  },
  slow: async ({ work, done, ms }) => {
    await wait(ms)
    return done(work())
  },
  'in-progress': () => errorOf(inProgress('…')),
  'rate-limited': () => errorOf(RATE_LIMITED),
  'wrong-amount': ({ work, done }) => altered(done(work()), 'wrong-amount'),
  'other-currency': ({ work, done }) => altered(done(work()), 'other-currency'),
  'other-order': ({ work, done }) => altered(done(work()), 'other-order'),
}

const SERVER_ERROR: Refusal = { status: 500, type: 'api_error', message: 'An unknown error occurred' }
const RATE_LIMITED: Refusal = {
  status: 429,
  type: 'invalid_request_error',
  code: 'rate_limit',
  message: 'Too many requests',
}

const ROUTES: readonly [Kind, string, RegExp][] = [
  ['tokenize', 'POST', /^\/v1\/payment_methods$/],
  ['describe', 'POST', /^\/v1\/payment_methods\/(pm_\w+)$/],
  ['detach', 'POST', /^\/v1\/payment_methods\/(pm_\w+)\/detach$/],
  ['method', 'GET', /^\/v1\/payment_methods\/(pm_\w+)$/],
  ['attach', 'POST', /^\/v1\/customers$/],
  ['authorize', 'POST', /^\/v1\/payment_intents$/],
  ['capture', 'POST', /^\/v1\/payment_intents\/(pi_\w+)\/capture$/],
  ['void', 'POST', /^\/v1\/payment_intents\/(pi_\w+)\/cancel$/],
  ['refund', 'POST', /^\/v1\/refunds$/],
  ['refunds', 'GET', /^\/v1\/refunds$/],
  ['disputes', 'GET', /^\/v1\/disputes$/],
  ['balanceTransactions', 'GET', /^\/v1\/balance_transactions$/],
  ['find', 'GET', /^\/v1\/payment_intents$/],
  ['read', 'GET', /^\/v1\/payment_intents\/(pi_\w+)$/],
]

/** Stripe removes older keys (docs.stripe.com/api/idempotent_requests). */
const KEY_DAYS = 1

export const SECRET_KEY = 'sk_test_platter'
const VERSION = '2026-10-28.endive'

/**
 * The used part of Stripe's API on a loopback port, by its documentation (docs.stripe.com/api): it parses forms, returns objects
 * and replays responses by idempotency key. It is stricter than Stripe: it rejects an unknown endpoint or parameter.
 */
export class StripeServer {
  readonly state = new StripeState()
  /** All requests, in order. */
  readonly requests: { kind: Kind; headers: IncomingMessage['headers']; params: unknown }[] = []
  readonly #stalls = new Map<Kind, Promise<void>>()
  readonly #faults: { fault: StripeFault; on: Kind; ms: number }[] = []
  readonly #stored = new Map<string, { request: string; reply: Reply; at: number }>()
  /** The number of days that have passed, for the expiry of idempotency keys. */
  #days = 0
  readonly #running = new Set<string>()
  readonly #secretKey: string
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(secretKey = SECRET_KEY) {
    this.#secretKey = secretKey
  }

  /** Returns its URL on this machine. With the host `0.0.0.0`, containers can call it too. */
  async listen(host = '127.0.0.1'): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Injects a fault into the next request of this kind. */
  fault(fault: StripeFault, on: Kind, ms = 0): void {
    this.#faults.push({ fault, on, ms })
  }

  /** Runs the work as if this number of days had passed. */
  async after(days: number, work: () => Promise<void>): Promise<void> {
    this.#days += days
    await work().finally(() => (this.#days -= days))
  }

  /** Delays all requests of this kind until the returned function is called. */
  stall(kind: Kind): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#stalls.set(kind, promise)
    return () => {
      this.#stalls.delete(kind)
      resolve()
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reply = await this.#handle(request, Buffer.concat(chunks).toString())
    if (!reply) return void request.socket.resetAndDestroy()
    const headers = { 'content-type': 'application/json', 'request-id': 'req_test', ...reply.headers }
    response.writeHead(reply.status, headers).end(JSON.stringify(reply.body))
  }

  /** Returns null for a lost response. */
  async #handle(request: IncomingMessage, text: string): Promise<Reply | null> {
    const { pathname, search } = new URL(request.url ?? '', 'http://stripe')
    const found = ROUTES.find(([, method, path]) => method === request.method && path.test(pathname))
    const refusal = found ? headerFault(request.headers, this.#secretKey) : unknownUrl(request)
    if (!found || refusal) return errorOf(refusal ?? unknownUrl(request))
    const [kind, method, path] = found
    const parsed = PARAMETERS[kind].safeParse(readForm(method === 'GET' ? search.slice(1) : text))
    this.requests.push({ kind, headers: request.headers, params: parsed.data })
    if (!parsed.success) return errorOf(parameterFault(parsed.error))
    const id = path.exec(pathname)?.[1] ?? ''
    const work = () => this.#execute(kind, id, parsed.data)
    const key = request.headers['idempotency-key']
    return typeof key === 'string' && method === 'POST'
      ? this.#once({ key, sent: `${pathname} ${text}`, kind }, work)
      : this.#respond(kind, work, () => undefined)
  }

  /** docs.stripe.com/api/idempotent_requests. */
  async #once(
    { key, sent, kind }: { key: string; sent: string; kind: Kind },
    work: () => Reply,
  ): Promise<Reply | null> {
    const found = this.#stored.get(key)
    const stored = found && this.#days - found.at < KEY_DAYS ? found : undefined
    if (stored && stored.request !== sent) return errorOf(otherParameters(key))
    if (stored) return { ...stored.reply, headers: { 'idempotent-replayed': 'true' } }
    if (this.#running.has(key)) return errorOf(inProgress(key))
    this.#running.add(key)
    try {
      return await this.#respond(kind, work, (reply) =>
        this.#stored.set(key, { request: sent, reply, at: this.#days }),
      )
    } finally {
      this.#running.delete(key)
    }
  }

  async #respond(kind: Kind, work: () => Reply, store: (reply: Reply) => void): Promise<Reply | null> {
    await this.#stalls.get(kind)
    const at = this.#faults.findIndex(({ on }) => on === kind)
    const [due] = at === -1 ? [] : this.#faults.splice(at, 1)
    const done = (reply: Reply): Reply => {
      store(reply)
      return reply
    }
    return due ? INJECTIONS[due.fault]({ work, done, ms: due.ms }) : done(work())
  }

  #execute(kind: Kind, id: string, params: unknown): Reply {
    // Each endpoint's parameters were validated by its own schema.
    const valid = params as never
    const { state } = this
    const endpoints: Record<Kind, () => object> = {
      tokenize: () => state.tokenize(valid),
      describe: () => state.describe(id, valid),
      detach: () => state.detach(id),
      method: () => state.method(id),
      attach: () => state.attach(valid),
      authorize: () => state.authorize(valid),
      capture: () => state.capture(id, valid),
      void: () => state.void(id),
      refund: () => state.refund(valid),
      read: () => state.read(id, valid),
      find: () => state.find(valid),
      refunds: () => state.afterSale.refundsOf(valid),
      disputes: () => state.afterSale.disputesOf(valid),
      balanceTransactions: () => state.afterSale.balanceTransactionsOf(valid),
    }
    try {
      return { status: 200, body: endpoints[kind]() }
    } catch (error) {
      if (error instanceof Refused) return errorOf(error.refusal)
      throw error
    }
  }
}

const refuse = (status: number, message: string): Refusal => ({
  status,
  type: 'invalid_request_error',
  message,
})

function headerFault(headers: IncomingMessage['headers'], secretKey: string): Refusal | null {
  if (headers.authorization !== `Bearer ${secretKey}`) return refuse(401, 'Invalid API Key provided')
  if (headers['stripe-version'] !== VERSION) return refuse(400, 'Invalid Stripe API version')
  if (headers['x-stripe-client-telemetry'] !== undefined) return refuse(400, 'Telemetry must be off')
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  return isForm ? null : refuse(400, 'Invalid request: parameters are sent as a form')
}

const errorOf = ({ status, ...error }: Refusal): Reply => ({ status, body: { error } })
const unknownUrl = ({ method, url }: IncomingMessage): Refusal =>
  refuse(404, `Unrecognized request URL (${method}: ${url}).`)
const inProgress = (key: string): Refusal => ({
  status: 409,
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: `There is currently another in-progress request using this Idempotent Key: ${key}.`,
})
const otherParameters = (key: string): Refusal => ({
  status: 400,
  type: 'idempotency_error',
  message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`,
})

/** Returns the response with one altered fact. The stored response is not altered. */
function altered(reply: Reply, as: 'wrong-amount' | 'other-currency' | 'other-order'): Reply {
  const other = (key: string, value: unknown): unknown => {
    if (as === 'wrong-amount' && key.startsWith('amount') && typeof value === 'number' && value > 0)
      return value + 1
    if (as === 'other-currency' && key === 'currency') return 'eur'
    return as === 'other-order' && key === 'metadata' ? { orderApiKey: 'another-order' } : value
  }
  return { ...reply, body: JSON.parse(JSON.stringify(reply.body), other) as object }
}
