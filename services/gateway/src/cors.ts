import { corsHeaders, Problem, type App } from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** One day, in seconds. Browsers cache a preflight response for less (Chromium two hours). */
const MAX_AGE = '86400'

/** RFC 9110, 5.6.2: names, separated by commas. */
const NAMES = /^[\w!#$%&'*+.^`|~ ,-]+$/

/**
 * Allows pages of any origin to call the interface for applications: adds the fields to every response, and responds to preflights.
 * @fastify/cors does not fit. A path that cannot be read reaches no hook, and its problem needs the same fields (`corsHeaders` in
 * `problemResponse`), so the plugin would define them twice. It also responds to preflights of unknown paths with 404.
 */
export function cors(app: App): void {
  app.addHook('onRequest', ({ url }, reply, done) => {
    void reply.headers(corsHeaders(url))
    done()
  })
  // As a hook, before a body is read: a preflight has no access key.
  app.options('/publicapi/*', { onRequest: allow }, allow)
}

const allow = async (request: FastifyRequest, reply: FastifyReply) =>
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': namesIn(
        request,
        'access-control-request-method',
        'GET, POST, PUT, PATCH',
      ),
      'access-control-allow-headers': namesIn(request, 'access-control-request-headers', '*'),
      'access-control-max-age': MAX_AGE,
    })
    .send()

/** Returns the header names of a preflight; all names are allowed. */
function namesIn({ headers }: FastifyRequest, field: string, otherwise: string): string {
  const names = headers[field] ?? otherwise
  if (typeof names === 'string' && NAMES.test(names)) return names
  throw new Problem('invalid-field', `The header field ${field} is not a list of names.`)
}
