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
import { ConcurrencyLimit } from '#/limits/concurrency-limit.ts'
import { ADMISSION_POLICIES } from '#/limits/policies.ts'
import { idempotencyScope, type IdempotencyScope } from '#/idempotency/scope.ts'
import { PRINCIPAL_HEADER, principalVerifier, type InternalSecrets } from '#/security/principal-token.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** A response that is rendered and validated already. `null`: without a body. */
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
  /** The time by which the request is answered. Its calls and waits get the remaining time at most. */
  deadline: Deadline
  headers: FastifyRequest['headers']
  /** The request's path and query, as sent. */
  url: string
  /** Fields of the request that the operation does not know; the response names them in `X-Ignored-Fields`. */
  unknownFields: readonly UnknownField[]
  /** For a request with an Idempotency-Key, of an operation that takes one. */
  idempotency: IdempotencyScope | null
  setHeader: (name: string, value: string) => void
  /** Adds the order's apiKey to the request's log line and span. */
  concerns: (orderApiKey: string) => void
}

export type Handler<O extends Operation> = (
  call: Call<O>,
) => Promise<z.input<O['response']> | Rendered | EventStream>

/** Declares the routes of a service: `route(operation, handler)`. Method, path, schemas and audience are the operation's. */
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
        if (!principal) throw new Problem('access-token-invalid', 'The access key is not valid.')
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
        const answer = await handler(call)
        if (answer instanceof EventStream) return answer.start(request, reply)
        if (!(answer instanceof Rendered)) return reply.type(JSON_TYPE).send(render(answer))
        if (answer.body === null) return reply.code(answer.status).send()
        return reply
          .code(answer.status)
          .type(answer.status === 200 ? JSON_TYPE : PROBLEM_TYPE)
          .send(answer.body)
      },
    })
  }
}

/** Rejects a request without a permit; the others have theirs until the response is sent. */
const limitUntilClosed =
  (limit: ConcurrencyLimit) =>
  async (_request: FastifyRequest, { raw }: FastifyReply) => {
    const permit = limit.acquire()
    raw.once('close', () => permit.release())
  }

/** Throws the problem of a request that has one; its answer names the unknown fields as well. */
function accepted(parsed: Parsed, reply: FastifyReply): Parsed {
  const { problem, unknownFields } = parsed
  if (unknownFields.length > 0) void reply.header('x-ignored-fields', ignoredFields(unknownFields))
  if (problem) throw problem
  return parsed
}

/** The parts of a `Call` beside the parsed request: its context, and the setters of response header fields. */
const restOfCall = (request: FastifyRequest, reply: FastifyReply) => ({
  requestId: request.id,
  deadline: Deadline.of(request.headers, reply.elapsedTime),
  headers: request.headers,
  url: request.url,
  setHeader: (name: string, value: string) => void reply.header(name, value),
  concerns: (orderApiKey: string) => void (request.orderApiKey = orderApiKey),
})

/** Renders a handler's result as the JSON of its operation. */
export const responseRenderer = ({ name, response }: Operation): ((answer: unknown) => string) =>
  jsonRenderer(name, response)

/** An operation's path with its parameters: the same for all encodings of a URL. */
const plainPathOf = ({ path }: Operation, { params }: FastifyRequest): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  )
