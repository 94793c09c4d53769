import { problems, type Fault, type ProblemCode, type Refusal } from '@platter/contracts'
import { ErrorWithoutStack } from '#/http/error-without-stack.ts'
import { RESPONSE_HEADERS, corsHeaders } from '#/http/response-headers.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/**
 * The default of `Retry-After` by status. A restaurant's system that failed receives a ping within 10 s (docs/restaurants.md), and
 * its restaurant opens with the first success: an earlier retry would find the same failure.
 */
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 502: 10, 503: 1 }

/**
 * RFC 9110, 15.5.2, requires the field in every 401: HttpURLConnection of older Android versions throws an IOException without it.
 * The scheme is not a registered one, so that no browser prompts for a password.
 */
const CHALLENGE = { 'www-authenticate': 'AccessKey realm="Platter"' }

/** A failed request: an error code of the catalogue and a detail for the client, by default its title. `cause` is for the log only. */
export class Problem extends ErrorWithoutStack {
  readonly code: ProblemCode
  readonly faults: readonly Fault[]
  readonly declineCode: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly order: unknown

  constructor(
    code: ProblemCode,
    detail = `${problems[code].title}.`,
    more: {
      faults?: readonly Fault[]
      declineCode?: string | undefined
      retryAfterSeconds?: number
      /** The member `order` of the problem document, a result of `jsonValue`. */
      order?: unknown
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: more.cause })
    this.name = 'Problem'
    this.code = code
    this.faults = more.faults ?? []
    this.declineCode = more.declineCode
    this.order = more.order
    this.retryAfterSeconds = more.retryAfterSeconds ?? RETRY_AFTER_SECONDS[problems[code].status]
  }

  get status(): number {
    return problems[this.code].status
  }

  /**
   * Combines faults into one problem. Its code is that of the first fault that is not retryable, so that a client does not repeat a
   * request that must fail again. Throws a TypeError for an empty list.
   */
  static of(faults: readonly Fault[]): Problem {
    const first = faults.find(({ code }) => !problems[code].retryable) ?? faults[0]
    if (!first) throw new TypeError('a problem needs a fault')
    return new Problem(first.code, first.detail, { faults })
  }

  static refusal({ code, detail, faults, declineCode }: Refusal): Problem {
    return new Problem(code, detail, { faults: faults ?? [], declineCode })
  }
}

/**
 * Returns the problem document (RFC 9457) with three more members for existing clients: error, errorCode, details
 * (docs/interface.md, "Errors"). `instance` is the path of `url` without its query. The query may contain an access key, and the
 * document may be stored under an idempotency key.
 */
export function problemDocument(problem: Problem, requestId: string, url: string) {
  const row = problems[problem.code]
  return {
    type: `/problems/${problem.code}`,
    title: row.title,
    status: row.status,
    detail: problem.message,
    instance: pathOf(url),
    code: problem.code,
    requestId,
    retryable: row.retryable,
    ...(problem.declineCode !== undefined && { declineCode: problem.declineCode }),
    ...(problem.order !== undefined && { order: problem.order }),
    errors: problem.faults,
    error: true,
    errorCode: row.errorCode,
    details: problem.message,
  }
}

/** Cuts at `#` too, as the router does. */
const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? ''

/** Returns the header fields and body of a problem response to a request for `url`. */
export function problemResponse(
  problem: Problem,
  requestId: string,
  url: string,
): { headers: Record<string, string>; body: string } {
  const { retryAfterSeconds } = problem
  return {
    headers: {
      ...RESPONSE_HEADERS,
      ...corsHeaders(url),
      ...(problem.status === 401 && CHALLENGE),
      'content-type': PROBLEM_TYPE,
      'x-request-id': requestId,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(problemDocument(problem, requestId, url)),
  }
}
