import {
  audienceOf,
  respondsWithEvents,
  type Operation,
  type Owner,
  type Principal,
} from '@platter/contracts'
import {
  BODY_LIMIT,
  Deadline,
  overloaded,
  PRINCIPAL_HEADER,
  principalSigner,
  Problem,
  type App,
  type ConcurrencyLimit,
  type InternalSecrets,
  type Replicas,
} from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessKeys } from '#/access-keys.ts'
import { AdaptiveLimit } from '#/adaptive-limit.ts'
import { addressOf } from '#/client-address.ts'
import { checkOwnPage, sessionKeyOf } from '#/console-session.ts'
import { methodsOf } from '#/methods.ts'
import type { OrderRate } from '#/order-rate.ts'
import { passOn, requestShared, withoutAccessKey } from '#/pass-on.ts'
import { sendShared, SharedResponses } from '#/shared-responses.ts'
import type { Streams } from '#/streams.ts'
import type { Policy, RateLimit, Standing } from '#/store/rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender, once the access key is resolved. */
    principal: Principal | null
    /** Checks again whether the access key is valid. */
    isGood: (() => Promise<boolean>) | null
    /** Milliseconds that its admission took. Reading its body takes the client's own time. */
    admissionMs: number
  }
}

export type Needs = {
  operations: readonly Operation[]
  owners: Partial<Record<Owner, Replicas>>
  accessKeys: AccessKeys
  rateLimit: RateLimit
  orderRate: OrderRate
  streams: Streams
  /** The owners with connections of their own for streams, which would use up those of the other requests. */
  streamOwners: Partial<Record<Owner, Replicas>>
  /** Concurrency limits for the new work of each owner, and for requests that hash passwords. */
  concurrency: Partial<Record<Owner | 'passwords', ConcurrencyLimit>>
  /** Milliseconds within which every request is answered. */
  deadlineMs: number
  secrets: InternalSecrets
}

/** Header fields that are sent on to services. All others stay here: access keys, cookies, forwarding, deadlines. */
const PASSED_ON = [
  'content-type',
  'accept',
  'if-none-match',
  'idempotency-key',
  'last-event-id',
  'traceparent',
  'tracestate',
] as const

/**
 * Every operation's route: authentication, rate limit, authorization, then the request to the owning service. A client without
 * a valid key is refused before its body is read.
 */
export function publicRoutes(app: App, needs: Needs): void {
  const { operations, owners, streamOwners, streams, accessKeys, rateLimit } = needs
  const sign = principalSigner(needs.secrets)
  const sharedResponses = new SharedResponses()
  app.decorateRequest('principal', null)
  app.decorateRequest('isGood', null)
  app.decorateRequest('admissionMs', 0)
  for (const operation of operations) {
    const replicas = owners[operation.owner]
    if (!replicas)
      throw new Error(`${operation.name} belongs to ${operation.owner}, which the gateway does not know`)
    const limits = limitsOf(operation, needs)
    app.route({
      method: methodsOf(operation, operations),
      url: operation.path,
      bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
      onRequest: (request, reply) => admit(request, reply, { accessKeys, rateLimit, operation, ...limits }),
      async handler(request, reply) {
        if (!request.principal) throw new Error('a request got by without an access key')
        const { principal } = request
        const method = request.method === 'HEAD' ? 'HEAD' : operation.method
        const deadline = Deadline.in(needs.deadlineMs - request.admissionMs)
        const sent = async () => ({
          method,
          headers: { ...headersOf(request), [PRINCIPAL_HEADER]: await sign(principal, operation.owner) },
          deadline,
        })
        if (operation.shared && method === 'GET') {
          const found = await sharedResponses.find(withoutAccessKey(request.url), async (kept) => {
            using admitted = admission(limits, principal)
            return await requestShared(replicas, request, { ...(await sent()), ...admitted, kept })
          })
          if (found) return sendShared(reply, found, request.headers['if-none-match'])
        }
        if (method !== 'GET' || !respondsWithEvents(operation, request.headers.accept)) {
          using admitted = admission(limits, principal)
          return await passOn(replicas, request, reply, { ...(await sent()), ...admitted })
        }
        if (streams.isEnded) return reconnect(reply)
        const stream = { ...(await sent()), stream: admitStream(streams, request, reply) }
        return passOn(streamOwners[operation.owner] ?? replicas, request, reply, stream)
      },
    })
  }
  refuseOtherMethods(app, operations)
}

/** The limits of an operation: requests at the same time and, for orders, requests a second. */
export type Limits = { concurrency?: ConcurrencyLimit | undefined; orderRate?: OrderRate }

/** The limits of an operation, by its admission class. */
export function limitsOf(
  operation: Operation,
  { concurrency, orderRate }: Pick<Needs, 'concurrency' | 'orderRate'>,
): Limits {
  switch (operation.admission) {
    case 'order':
      return { concurrency: concurrency.orders, orderRate }
    case 'password':
      return { concurrency: concurrency.passwords }
    case 'read':
    case 'write':
      return { concurrency: concurrency[operation.owner] }
    case 'priority':
      return {}
  }
}

/** Acquires a permit, which is released when the owner answers. Throws Problem overloaded when there is none. */
function admission({ concurrency }: Limits, principal: Principal) {
  const permit = concurrency?.acquire(applicationOf(principal))
  const adaptive = concurrency instanceof AdaptiveLimit ? concurrency : null
  const decreases = adaptive?.decreases ?? 0
  return {
    answered(isOverloaded: boolean) {
      adaptive?.answered(decreases, isOverloaded)
      permit?.release()
    },
    [Symbol.dispose]: () => permit?.release(),
  }
}

type Guards = Pick<Needs, 'accessKeys' | 'rateLimit'> & Limits & { operation: Operation }

/**
 * Admits a request, or throws the Problem that refuses it. Every answer to a known key has its rate limit, except an early
 * rejection: thousands of those a second would cost a Redis command each.
 */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { accessKeys, rateLimit, operation, concurrency, orderRate }: Guards,
): Promise<void> {
  const address = addressOf(request)
  const key = accessKeyOf(request, operation)
  const principal = await accessKeys.principalOf(key, { requestId: request.id, address })
  request.principal = principal
  if (key !== undefined) request.isGood = () => accessKeys.isGood(key)
  if (principal.kind !== 'service') request.accessKeyId = principal.accessKeyId
  const applicationId = applicationOf(principal)
  if (concurrency?.isAvailable(applicationId) === false) throw overloaded()
  if (principal.kind !== 'service')
    checkRate(reply, 'default', rateLimit.policy, await rateLimit.take(principal.accessKeyId))
  checkAudience(principal, operation)
  if (orderRate && applicationId !== undefined)
    checkRate(reply, 'orders', orderRate.policy, orderRate.take(applicationId))
  request.admissionMs = reply.elapsedTime
}

export const applicationOf = (principal: Principal): string | undefined =>
  principal.kind === 'application' ? principal.applicationId : undefined

function admitStream(
  streams: Streams,
  { principal, isGood }: FastifyRequest,
  { raw }: FastifyReply,
): AbortSignal {
  if (!principal || principal.kind === 'service' || !isGood)
    throw new Error('a stream got by without an access key')
  return streams.admit(principal, raw, isGood)
}

/** While stopping: a stream that ends at once. At any other status EventSource would not reconnect. */
const reconnect = (reply: FastifyReply) => reply.type('text/event-stream').send('retry: 1000\n\n')

/** The names of the rate limits: an access key's requests, and an application's orders. */
type Limited = 'default' | 'orders'

/** Adds the rate limit's fields to the answer. Throws Problem rate-limited when the limit is exceeded. */
function checkRate(reply: FastifyReply, limited: Limited, policy: Policy, standing: Standing): void {
  const headers = rateLimitHeaders(limited, policy, standing)
  if (!standing.allowed) {
    void reply.headers(headers)
    throw rateLimited(limited, policy, standing)
  }
  for (const [name, value] of Object.entries(headers)) {
    const before = reply.getHeader(name)
    void reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
  }
}

/** draft-ietf-httpapi-ratelimit-headers-11: q requests in w seconds; r are left, and t seconds to go. */
export const rateLimitHeaders = (
  limited: Limited,
  { requests, seconds: window }: Policy,
  { remaining, seconds }: Standing,
) => ({
  'ratelimit-policy': `"${limited}";q=${requests};w=${window}`,
  ratelimit: `"${limited}";r=${remaining};t=${seconds}`,
})

export const rateLimited = (
  limited: Limited,
  { requests, seconds: window }: Policy,
  { seconds }: Standing,
) => {
  const what = limited === 'orders' ? 'orders sent or validated' : 'requests'
  return new Problem(
    'rate-limited',
    `More than ${requests} ${what} in ${window} s. Please try again later.`,
    {
      retryAfterSeconds: seconds,
    },
  )
}

/**
 * The header wins over the query parameter, which existing libraries send; for restaurants the console's cookie
 * comes last, and from the page of the console only.
 */
function accessKeyOf(request: FastifyRequest, operation: Operation): string | undefined {
  const { headers, query } = request
  const given = headers['x-access-token'] ?? (query as Record<string, unknown>)['access-token']
  if (given !== undefined) return typeof given === 'string' ? given : undefined
  const ofSession = operation.audience === 'restaurant' ? sessionKeyOf(request) : undefined
  if (ofSession !== undefined) checkOwnPage(request)
  return ofSession
}

function checkAudience(principal: Principal, operation: Operation): void {
  if (principal.kind !== operation.audience)
    throw new Problem('not-allowed', 'This kind of access key may not call this endpoint.')
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const { id } = request
  const passed: Record<string, string> = { 'x-request-id': id, 'x-client-address': addressOf(request) }
  for (const name of PASSED_ON) {
    const value = request.headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Answers the other methods of an existing path with 405 and `Allow`. For OPTIONS see `cors`. */
function refuseOtherMethods(app: App, operations: readonly Operation[]): void {
  const allowed = Map.groupBy(operations, ({ path }) => path)
  for (const [path, taken] of allowed) {
    const own = taken.flatMap((operation) => methodsOf(operation, operations))
    const others = audienceOf(path) === 'application' ? METHODS : [...METHODS, 'OPTIONS' as const]
    const method = others.filter((candidate) => !(own as string[]).includes(candidate))
    const allow = own.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    app.route({
      method,
      url: path,
      handler: async (_request: FastifyRequest, reply: FastifyReply) => {
        void reply.header('allow', allow.join(', '))
        throw new Problem('method-not-allowed', `This endpoint takes ${listed(allow)} only.`)
      },
    })
  }
}

const listed = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]+$)/, ' and ')
