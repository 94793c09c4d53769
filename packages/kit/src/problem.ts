import { problems, type Fault, type ProblemCode, type Refusal } from '@platter/contracts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** A refusal on its way to the client: a row of the catalogue and what to say. `cause` is for the log only. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly faults: readonly Fault[]
  readonly declineCode: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      faults?: readonly Fault[]
      declineCode?: string | undefined
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: more.cause })
    this.name = 'Problem'
    this.code = code
    this.faults = more.faults ?? []
    this.declineCode = more.declineCode
    this.retryAfterSeconds = more.retryAfterSeconds ?? (problems[code].status === 503 ? 1 : undefined)
  }

  get status(): number {
    return problems[this.code].status
  }

  /**
   * All faults at once. The problem has the name of the first one that will not go away by itself: who is
   * told that a retry may help should not meet the next fault then. Throws a TypeError for none.
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
 * RFC 9457 and, in the same object, the three members that existing clients read: error, errorCode, details
 * (interface.md, "Errors"). `instance` is the request's path without its query.
 */
export function problemDocument(problem: Problem, requestId: string, instance: string) {
  const row = problems[problem.code]
  return {
    type: `/problems/${problem.code}`,
    title: row.title,
    status: row.status,
    detail: problem.message,
    instance,
    code: problem.code,
    requestId,
    retryable: row.retryable,
    ...(problem.declineCode !== undefined && { declineCode: problem.declineCode }),
    errors: problem.faults,
    error: true,
    errorCode: row.errorCode,
    details: problem.message,
  }
}
