import { corsHeaders, Problem, type App } from '@platter/kit'
import type { FastifyRequest } from 'fastify'

/** One day, in seconds; browsers keep an answer to a preflight for less (Chromium two hours). */
const MAX_AGE = '86400'

/** RFC 9110, 5.6.2: names, separated by commas. */
const NAMES = /^[\w!#$%&'*+.^`|~ ,-]+$/

/**
 * Lets pages of any origin call the interface for applications: the fields on every answer, and preflights. Not by
 * @fastify/cors: early rejections need the same fields (`corsHeaders` in `problemResponse`), so that the plugin
 * would be a second place for them, and it answers preflights of unknown paths with 404.
 */
export function cors(app: App): void {
  app.addHook('onRequest', ({ url }, reply, done) => {
    void reply.headers(corsHeaders(url))
    done()
  })
  app.options('/publicapi/*', async (request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': asked(
          request,
          'access-control-request-method',
          'GET, POST, PUT, PATCH',
        ),
        'access-control-allow-headers': asked(request, 'access-control-request-headers', '*'),
        'access-control-max-age': MAX_AGE,
      })
      .send(),
  )
}

/** The header names of a preflight: all of them are allowed. */
function asked({ headers }: FastifyRequest, field: string, otherwise: string): string {
  const names = headers[field] ?? otherwise
  if (typeof names === 'string' && NAMES.test(names)) return names
  throw new Problem('invalid-field', `The header field ${field} is not a list of names.`)
}
