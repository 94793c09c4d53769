import { audiences, type Operation, type Owner, type Principal } from '@platter/contracts'
import { BODY_LIMIT, PRINCIPAL_HEADER, principalSigner, Problem, type App, type Replicas } from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessKeys } from '#/access-keys.ts'
import { passOn } from '#/pass-on.ts'

type Needs = {
  operations: readonly Operation[]
  owners: Partial<Record<Owner, Replicas>>
  accessKeys: AccessKeys
  internalSecret: string
}

/** What a service may need to know of the request's headers. Everything else stays here: access keys, cookies, forwarding. */
const PASSED_ON = [
  'content-type',
  'accept',
  'if-none-match',
  'idempotency-key',
  'last-event-id',
  'traceparent',
  'tracestate',
] as const

/** Every operation's route: who calls, whether this kind of key may, and on to the owning service. */
export function publicRoutes(app: App, { operations, owners, accessKeys, internalSecret }: Needs): void {
  const sign = principalSigner(internalSecret)
  for (const operation of operations) {
    const replicas = owners[operation.owner]
    if (!replicas)
      throw new Error(`${operation.name} belongs to ${operation.owner}, which the gateway does not know`)
    app.route({
      method: operation.method,
      url: operation.path,
      bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
      async handler(request, reply) {
        const principal = await accessKeys.principalOf(accessKeyOf(request), request.id)
        checkAudience(principal, operation)
        return passOn(replicas, request, reply, {
          ...headersOf(request),
          [PRINCIPAL_HEADER]: await sign(principal),
        })
      },
    })
  }
  refuseOtherMethods(app, operations)
}

/** The header wins over the query parameter, which existing libraries send. */
function accessKeyOf({ headers, query }: FastifyRequest): string | undefined {
  const given = headers['x-access-token'] ?? (query as Record<string, unknown>)['access-token']
  return typeof given === 'string' ? given : undefined
}

function checkAudience(principal: Principal, { path }: Operation): void {
  const audience = Object.entries(audiences).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1]
  if (principal.kind !== audience)
    throw new Problem('not-allowed', 'This kind of access key may not call this endpoint.')
}

function headersOf({ headers, id }: FastifyRequest): Record<string, string> {
  const passed: Record<string, string> = { 'x-request-id': id }
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A path that exists, called with a method that it does not take: 405 with `Allow`, and not 404. */
function refuseOtherMethods(app: App, operations: readonly Operation[]): void {
  const allowed = Map.groupBy(operations, ({ path }) => path)
  for (const [path, taken] of allowed) {
    const allow = taken.map(({ method }) => method)
    const method = METHODS.filter((candidate) => !(allow as string[]).includes(candidate))
    app.route({
      method,
      url: path,
      handler: async (_request: FastifyRequest, reply: FastifyReply) => {
        void reply.header('allow', allow.join(', '))
        throw new Problem('method-not-allowed', `This endpoint takes ${allow.join(' and ')} only.`)
      },
    })
  }
}
