import type { FastifyError, FastifyRequest } from 'fastify'
import { bodyTooLarge } from '#/http/body-parsers.ts'
import { Problem } from '#/http/problem.ts'

/**
 * SQLSTATE classes and Node codes for an unavailable database or connection; they are not defects. 55P03 and 57014 are the results
 * of lock_timeout (1 s) and statement_timeout (4 s). They occur when a slow disk delays the commit that releases a row lock. The
 * statement had no effect. A server that became a standby rejects writes with 25006. The kernel reports the address of a stopped
 * machine or container as unreachable.
 */
const UNAVAILABLE =
  /^(08|25006|53|55P03|57|ECONN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/
/** After a query timeout within a transaction, Kysely reports the failure of its rollback: the client "is not queryable". */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client .* is not queryable/

/** Returns whether an error means that a dependency is temporarily unavailable or too slow. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof Problem && error.status === 503) ||
    UNAVAILABLE.test((error as NodeJS.ErrnoException).code ?? '') ||
    UNAVAILABLE_MESSAGES.test(error.message))

/** Returns the problem response for an error that a handler threw. */
export function problemOf(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Problem('not-json', 'The body must be sent as application/json.')
  // Node's error for a client that disconnects within its body. It has the code of a lost server connection (ECONNRESET).
  if (error.message === 'aborted') return new Problem('malformed-json', 'The body is incomplete.')
  if (isUnavailable(error))
    return new Problem('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: error,
    })
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new Problem('malformed-json', 'The request cannot be read.', { cause: error })
  }
  return new Problem('internal-error', 'Something went wrong on our side.', { cause: error })
}
