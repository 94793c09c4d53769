import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestIdOf } from '#/lifecycle/ids.ts'
import { problemAnswer, type Problem } from '#/http/problem.ts'
import { measureRefused } from '#/http/requests.ts'

type Refused = {
  request: IncomingMessage
  response: ServerResponse
  /** The path's template. */
  route: string
  headers?: Readonly<Record<string, string>> | undefined
}

/**
 * The answer that `createApp` gives to a problem, to a request that Fastify never sees, with neither a trace nor a log
 * line of its own: 0.07 ms of CPU where the whole way takes 0.15. What is still to come of the request is thrown away.
 */
export function refuse(problem: Problem, { request, response, route, headers }: Refused): void {
  const answer = problemAnswer(problem, requestIdOf(request), request.url ?? '/')
  const length = { 'content-length': Buffer.byteLength(answer.body) }
  response.writeHead(problem.status, { ...headers, ...answer.headers, ...length }).end(answer.body)
  measureRefused(request.method ?? '', route, problem.status)
}
