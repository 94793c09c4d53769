import type { FastifyError, FastifyRequest } from 'fastify'
import { bodyTooLarge } from '#/http/body-parsers.ts'
import { Problem } from '#/http/problem.ts'

/**
 * SQLSTATE classes and Node codes that mean "the database or a connection is unavailable", not a defect. 55P03 and 57014 are
 * waits that ended with lock_timeout (1 s) and statement_timeout (3 s), as when the disk takes seconds for the commit that holds
 * the row's lock. The statement had no effect then.
 */
const UNAVAILABLE = /^(08|53|55P03|57|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/
const UNAVAILABLE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/

/** Whether an error means that a server we depend on is unavailable or too slow at the moment. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof Problem && error.status === 503) ||
    UNAVAILABLE.test((error as NodeJS.ErrnoException).code ?? '') ||
    UNAVAILABLE_MESSAGES.test(error.message))

/** The problem with which a request ends whose handler threw this error. */
export function problemOf(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Problem('not-json', 'The body must be sent as application/json.')
  // Node's error for a client that disconnects in the middle of its body; its code is that of a lost server.
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
