import { ProblemDocument, problems, type ProblemCode } from '@platter/contracts'
import type { Exchanged } from '../../support/exchange.ts'

/** A request that takes longer hangs, or the machine was busy. A repetition alone shows the cause. */
export const WITHIN_MS = 1_000

/** Internal details of Platter that no request contains. */
const LEAKS =
  /\n\s+at |node_modules|\.ts\b|file:\/\/|\b(select .+ from|insert into|update \w+ set|delete from) |relation "|violates|syntax error|ECONN|EPIPE|ENOENT|ERR_|FST_|(Zod|Type|Range|Syntax|Reference)Error|Unexpected token|\bundefined\b|\[object |postgres|rabbit|redis|amqp/i

/**
 * Returns the fault of a response to any request, or null. A client that ends its side, or sends an incomplete request, may see a
 * closed connection.
 */
export function violationIn(
  { status, headers, body, closed }: Exchanged,
  { isHead, mayClose }: { isHead: boolean; mayClose: boolean },
): string | null {
  if (status === 0) return mayClose && closed ? null : 'no response'
  if (status >= 500) return `${status} ${body.slice(0, 300)}`
  const header = violationInHeaders(status, headers)
  if (header !== null) return header
  if (status < 400 || isHead) return null
  return violationInProblem(status, headers, body)
}

/** Headers that reveal the software, or allow pages of other origins to act with a cookie. */
const FORBIDDEN_HEADERS = /^(server|x-powered-by|via|access-control-allow-credentials)$/

function violationInHeaders(status: number, headers: Record<string, string>): string | null {
  const forbidden = Object.keys(headers).find((name) => FORBIDDEN_HEADERS.test(name))
  if (forbidden !== undefined) return `${status} with ${forbidden}`
  if (headers['x-content-type-options'] !== 'nosniff') return `${status} whose type may be guessed`
  const cacheControl = headers['cache-control'] ?? 'nothing'
  return permittedCacheControl(status, headers).test(cacheControl)
    ? null
    : `${status} with ${cacheControl} as cache-control`
}

/**
 * Returns the permitted `cache-control`. A problem is never stored, personal data needs a revalidation, and a script may be stored
 * for a time.
 */
function permittedCacheControl(status: number, headers: Record<string, string>): RegExp {
  if (status >= 400) return /^no-store$/
  return headers['content-type']?.startsWith('text/javascript')
    ? /^(no-store|public, max-age=\d+)$/
    : /^(no-store|(private, )?no-cache\b.*)$/
}

function violationInProblem(status: number, headers: Record<string, string>, body: string): string | null {
  if (!headers['content-type']?.startsWith('application/problem+json'))
    return `${status} is ${headers['content-type'] ?? 'of no type'}: ${body.slice(0, 300)}`
  const document = ProblemDocument.safeParse(parsed(body))
  if (!document.success) return `${status} is no problem document: ${body.slice(0, 300)}`
  const { code, errorCode, type, requestId } = document.data
  const row = problems[code satisfies ProblemCode]
  if (row.status !== status || document.data.status !== status) return `${status} with the code ${code}`
  if (row.errorCode !== errorCode || type !== `/problems/${code}`)
    return `${code} with another's number or type`
  if (requestId !== headers['x-request-id']) return `${code} with another request id than its header`
  const leak = LEAKS.exec(body)?.[0]
  return leak === undefined ? null : `${code} reveals ${JSON.stringify(leak)}: ${body.slice(0, 300)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller reports it: text that is not JSON is no problem document.
    return undefined
  }
}
