import { audienceOf, respondsWithEvents, type Caller, type Operation, type Owner } from '@platter/contracts'
import {
  BODY_LIMIT,
  CONSOLE_HEADER,
  Deadline,
  overloaded,
  PRINCIPAL_HEADER,
  principalSigner,
  Problem,
  rateLimited,
  rateLimitFields,
  type App,
  type InternalSecrets,
  type Quota,
  type RateLimit,
  type RatePolicy,
  type Replicas,
} from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessKeys } from '#/access-keys.ts'
import { applicationOf, type Admission, type Limits } from '#/admission.ts'
import { addressOf } from '#/client-address.ts'
import { checkOwnPage, sessionKeyOf } from '#/console-session.ts'
import { methodsOf } from '#/methods.ts'
import { forwardRequest, requestShared, withoutAccessKey } from '#/forward.ts'
import { refuseRawCards } from '#/raw-cards.ts'
import { createSharedResponses, sendShared } from '#/shared-responses.ts'
import type { Streams } from '#/streams.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; null until the access key is resolved. */
    principal: Caller | null
    /** Whether the cookie of the console authenticates the request. */
    isFromConsole: boolean
    /**
     * The duration of the admission in milliseconds. The body is excluded, because the client determines the time of its upload.
     */
    admissionMs: number
  }
}

export type Deps = {
  operations: readonly Operation[]
  owners: Readonly<Record<Owner, Replicas>>
  accessKeys: AccessKeys
  admission: Admission
  streams: Streams
  /** The replicas of orders, with separate connections for streams, which would otherwise use up those of other requests. */
  streamReplicas: Replicas
  /** The time in milliseconds within which every request receives a response. */
  deadlineMs: number
  secrets: InternalSecrets
  /** RAW_CARDS: a body with a card number is rejected here. */
  refusesRawCards?: boolean
}

/**
 * Header fields that are forwarded to services. All others stay in the gateway: access keys, cookies, forwarding fields, deadlines.
 */
const FORWARDED_HEADERS = [
  'content-type',
  'accept',
  'if-none-match',
  'idempotency-key',
  'last-event-id',
  'traceparent',
] as const

/**
 * Registers the route of every operation: authentication, rate limit, authorization, then the request to the owning service. A
 * client without a valid key is rejected before its body is read.
 */
export function publicRoutes(app: App, deps: Deps): void {
  const { operations, owners, streams, accessKeys, admission } = deps
  const sign = principalSigner(deps.secrets)
  const sharedResponses = createSharedResponses()
  app.decorateRequest('principal', null)
  app.decorateRequest('isFromConsole', false)
  app.decorateRequest('admissionMs', 0)
  for (const operation of operations) {
    const replicas = owners[operation.owner]
    const limits = admission.limitsOf(operation)
    app.route({
      method: methodsOf(operation, operations),
      url: operation.path,
      bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
      onRequest: (request, reply) => admit(request, reply, { accessKeys, admission, operation, ...limits }),
      async handler(request, reply) {
        if (!request.principal) throw new Error('a request without an access key was admitted')
        const { principal } = request
        checkBody(request, operation, deps.refusesRawCards)
        const method = request.method === 'HEAD' ? 'HEAD' : operation.method
        const deadline = Deadline.in(deps.deadlineMs - request.admissionMs)
        const forwarded = async () => ({
          method,
          headers: { ...headersOf(request), [PRINCIPAL_HEADER]: await sign(principal, operation.owner) },
          deadline,
        })
        if (operation.shared && method === 'GET') {
          const found = await sharedResponses.load(withoutAccessKey(request.url), async (cached) => {
            using permit = limits.concurrency?.acquire(applicationOf(principal))
            return await requestShared(replicas, request, { ...(await forwarded()), permit }, cached)
          })
          if (found) return sendShared(reply, found, request.headers['if-none-match'])
        }
        if (method !== 'GET' || !respondsWithEvents(operation, request.headers.accept)) {
          // Released when the owner responds, not when the client has received the whole body.
          using permit = limits.concurrency?.acquire(applicationOf(principal))
          return await forwardRequest(replicas, request, reply, { ...(await forwarded()), permit })
        }
        if (streams.isEnded) return reconnect(reply)
        const isValid = keyCheck(accessKeys, accessKeyOf(request, operation))
        const stream = { ...(await forwarded()), stream: streams.admit(principal, reply.raw, isValid) }
        return forwardRequest(deps.streamReplicas, request, reply, stream)
      },
    })
  }
  refuseOtherMethods(app, operations)
}

/**
 * Throws the Problem of a body with a card number. Drops the body of a read by POST: an event stream would keep it for hours, 64 KiB for
 * each of the 2,000 streams of an access key.
 */
function checkBody(request: FastifyRequest, { method }: Operation, refusesRawCards = false): void {
  if (refusesRawCards) refuseRawCards(request.body)
  if (method === 'GET') request.body = undefined
}

type Guards = Pick<Deps, 'accessKeys' | 'admission'> & Limits & { operation: Operation }

/**
 * Admits a request, or throws the Problem of its rejection. Every response to a known key contains its rate limit, except that of an
 * overload: thousands of them per second would cost a Redis command each.
 */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { accessKeys, admission, operation, concurrency, orderRate }: Guards,
): Promise<void> {
  /** Returns the problem of a rejected request, which is counted instead of logged. */
  const rejected = ({ accessKeyId }: Caller, problem: Problem): Problem => {
    request.accessKeyId = accessKeyId
    request.isRejected = true
    admission.countRejection(accessKeyId, problem)
    return problem
  }
  const checkConcurrency = (caller: Caller) => {
    if (concurrency?.isAvailable(applicationOf(caller)) === false) throw rejected(caller, overloaded())
  }
  const checkRate = (caller: Caller, limit: RateLimit, rated: string) => {
    const quota = limit.take(rated)
    addRate(reply, limit.policy, quota)
    if (!quota.isAllowed) throw rejected(caller, rateLimited(limit.policy, quota))
  }
  const key = accessKeyOf(request, operation)
  const known = key === undefined ? null : accessKeys.lastKnown(key)
  if (known) checkConcurrency(known)
  const principal = await accessKeys.principalOf(key, { requestId: request.id, address: addressOf(request) })
  request.principal = principal
  request.accessKeyId = principal.accessKeyId
  checkConcurrency(principal)
  checkRate(principal, admission.accessKeyRate, principal.accessKeyId)
  if (principal.kind !== operation.audience)
    throw new Problem('not-allowed', `This endpoint needs an access key of the kind ${operation.audience}.`)
  const applicationId = applicationOf(principal)
  if (orderRate && applicationId !== undefined) checkRate(principal, orderRate, applicationId)
  request.admissionMs = reply.elapsedTime
  // The client has disconnected, and the log line was written before the access key was known. An effect could not be traced to it.
  if (reply.raw.destroyed) reply.hijack()
}

/** Returns the check whether the access key of an admitted request is still valid. */
const keyCheck = (accessKeys: AccessKeys, key: string | undefined) => async (): Promise<boolean> =>
  key !== undefined && accessKeys.isStillValid(key)

/** While the process stops: a stream that ends immediately. With any other status EventSource would not reconnect. */
const reconnect = (reply: FastifyReply) => reply.type('text/event-stream').send('retry: 1000\n\n')

/** Adds the fields of a rate limit to the response. A rejection has only those of the limit that rejects it. */
function addRate(reply: FastifyReply, policy: RatePolicy, quota: Quota): void {
  const fields = rateLimitFields(policy, quota)
  if (!quota.isAllowed) return void reply.headers(fields)
  for (const [name, value] of Object.entries(fields)) {
    const before = reply.getHeader(name)
    void reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
  }
}

/**
 * The header takes precedence over the query parameter, which existing libraries send. The console's cookie comes last, only for
 * restaurants, and only from the page of the console.
 */
function accessKeyOf(request: FastifyRequest, operation: Operation): string | undefined {
  const { headers, query } = request
  // An empty header counts as absent. Some HTTP libraries send one for a variable without a value.
  const given = headers['x-access-token'] || (query as Record<string, unknown>)['access-token']
  if (given !== undefined) return typeof given === 'string' ? given : undefined
  const ofSession = operation.audience === 'restaurant' ? sessionKeyOf(request) : undefined
  if (ofSession !== undefined) {
    checkOwnPage(request)
    request.isFromConsole = true
  }
  return ofSession
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const { id } = request
  const forwarded: Record<string, string> = { 'x-request-id': id, 'x-client-address': addressOf(request) }
  if (request.isFromConsole) forwarded[CONSOLE_HEADER] = '1'
  for (const name of FORWARDED_HEADERS) {
    const value = request.headers[name]
    if (typeof value === 'string') forwarded[name] = value
  }
  return forwarded
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Responds to other methods of an existing path with 405 and `Allow`. For OPTIONS see `cors`. */
function refuseOtherMethods(app: App, operations: readonly Operation[]): void {
  const allowed = Map.groupBy(operations, ({ path }) => path)
  for (const [path, taken] of allowed) {
    const own = taken.flatMap((operation) => methodsOf(operation, operations))
    const others = audienceOf(path) === 'application' ? METHODS : [...METHODS, 'OPTIONS' as const]
    const method = others.filter((candidate) => !(own as string[]).includes(candidate))
    const allow = own.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
    const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('allow', allow.join(', '))
      throw new Problem('method-not-allowed', `This endpoint supports only ${listed(allow)}.`)
    }
    // As a hook, before the body is read: these requests need no access key.
    app.route({ method, url: path, onRequest: refuse, handler: refuse })
  }
}

const listed = (names: readonly string[]): string => names.join(', ').replace(/, (?=[^,]+$)/, ' and ')
