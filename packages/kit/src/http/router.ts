import { takesIdempotencyKey, type Operation, type PrincipalOf } from '@platter/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { App } from '#/http/app.ts'
import { BODY_LIMIT } from '#/http/body-parsers.ts'
import { Deadline } from '#/http/deadline.ts'
import { EventStream } from '#/http/event-stream.ts'
import { jsonRenderer } from '#/http/json-renderer.ts'
import { Problem, PROBLEM_TYPE } from '#/http/problem.ts'
import { ignoredFields, type UnknownField } from '#/http/request-fields.ts'
import { requestParser, type Parsed } from '#/http/request-parser.ts'
import { NOT_PROCESSED_HEADER } from '#/http/upstream.ts'
import { ConcurrencyLimit } from '#/limits/concurrency-limit.ts'
import { ADMISSION_POLICIES } from '#/limits/policies.ts'
import { idempotencyScope, type IdempotencyScope } from '#/idempotency/scope.ts'
import { PRINCIPAL_HEADER, principalVerifier, type InternalSecrets } from '#/security/principal-token.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A response that is already rendered and validated. A null body means no body. */
export class Rendered {
  readonly body: Buffer | string | null
  readonly status: number
  constructor(body: Buffer | string | null, status = 200) {
    this.body = body
    this.status = status
  }
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined

/** A parsed request from a principal of the operation's audience. */
export type Call<O extends Operation> = {
  params: Output<O['params']>
  query: Output<O['query']>
  body: Output<O['body']>
  principal: PrincipalOf<O['audience']>
  requestId: string
  /** The time by which the response must be sent. Calls and waits of the handler are limited to the remaining time. */
  deadline: Deadline
  headers: FastifyRequest['headers']
  /** The request's path and query, as sent. */
  url: string
  /** Fields outside the operation's schema. The response lists them in `X-Ignored-Fields`. */
  unknownFields: readonly UnknownField[]
  /** Null without an Idempotency-Key, and for operations that do not accept one. */
  idempotency: IdempotencyScope | null
  setHeader: (name: string, value: string) => void
  /** Adds the order's apiKey to the request's log line and span. */
  setOrderApiKey: (orderApiKey: string) => void
}

export type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<z.input<O['response']> | Rendered | EventStream>

/**
 * Returns `route(operation, handler)`, which adds a route to a service. The operation defines method, path, schemas and audience.
 */
export function router(app: App, secrets: InternalSecrets) {
  const verify = principalVerifier(secrets)
  const readLimit = limitUntilClosed(new ConcurrencyLimit({ permits: ADMISSION_POLICIES.read.service }))
  return function route<const O extends Operation>(operation: O, handler: Handler<O>): void {
    const parse = requestParser(operation)
    const render = responseRenderer(operation)
    app.route({
      method: operation.method,
      url: operation.path,
      bodyLimit: operation.bodyLimit ?? BODY_LIMIT,
      onRequest: operation.admission === 'read' ? readLimit : [],
      async handler(request, reply) {
        const principal = await verify(
          request.headers[PRINCIPAL_HEADER] as string | undefined,
          operation.owner,
        )
        if (!principal) throw rejectedPrincipal(reply)
        if (principal.kind !== operation.audience)
          throw new Problem('not-allowed', 'This kind of access key may not do this.')
        const { values, unknownFields } = accepted(parse(request), reply)
        const header = takesIdempotencyKey(operation) ? request.headers['idempotency-key'] : undefined
        const call = {
          ...values,
          unknownFields,
          principal,
          idempotency:
            header === undefined
              ? null
              : idempotencyScope(header, {
                  principal,
                  path: plainPathOf(operation, request),
                  body: values.body,
                  secrets,
                }),
          ...restOfCall(request, reply),
        } as Call<O>
        const response = await handler(call)
        if (response instanceof EventStream) return response.start(request, reply)
        if (!(response instanceof Rendered)) return reply.type(JSON_TYPE).send(render(response))
        if (response.body === null) return reply.code(response.status).send()
        return reply
          .code(response.status)
          .type(response.status === 200 ? JSON_TYPE : PROBLEM_TYPE)
          .send(response.body)
      },
    })
  }
}

/**
 * The gateway has accepted the access key, so its client never receives this 401: another replica may have the right clock and secret,
 * and otherwise the response is 503.
 */
function rejectedPrincipal(reply: FastifyReply): Problem {
  void reply.header(
    NOT_PROCESSED_HEADER,
    'it rejects the signed principal: the clocks differ by a minute, or INTERNAL_SECRET differs',
  )
  return new Problem('access-token-invalid')
}

/** Acquires a permit for each request until the response is sent. Rejects the request if no permit is available. */
const limitUntilClosed =
  (limit: ConcurrencyLimit) =>
  async (_request: FastifyRequest, { raw }: FastifyReply) => {
    const permit = limit.acquire()
    raw.once('close', () => permit.release())
  }

/** Throws the problem of an invalid request. Its response lists the unknown fields, too. */
function accepted(parsed: Parsed, reply: FastifyReply): Parsed {
  const { problem, unknownFields } = parsed
  if (unknownFields.length > 0) void reply.header('x-ignored-fields', ignoredFields(unknownFields))
  if (problem) throw problem
  return parsed
}

/** Returns the parts of a `Call` besides the parsed request: its context and the setter of response header fields. */
const restOfCall = (request: FastifyRequest, reply: FastifyReply) => ({
  requestId: request.id,
  deadline: Deadline.of(request.headers, reply.elapsedTime),
  headers: request.headers,
  url: request.url,
  setHeader: (name: string, value: string) => void reply.header(name, value),
  setOrderApiKey: (orderApiKey: string) => void (request.orderApiKey = orderApiKey),
})

/** Returns a function that renders a handler's result as the JSON of its operation. */
export const responseRenderer = ({ name, response }: Operation): ((response: unknown) => string) =>
  jsonRenderer(name, response)

/** Returns the operation's path with its parameters. The result is equal for all encodings of a URL. */
const plainPathOf = ({ path }: Operation, { params }: FastifyRequest): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  )
