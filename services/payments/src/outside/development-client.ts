import { z } from 'zod'
import type { ProcessorResult } from '#/domain/processor-result.ts'
import { BoundedHttp, NoResponse } from '#/outside/bounded-http.ts'
import { Word, type Period } from '#/outside/processor.ts'

const Refused = z.object({ code: Word, declineCode: Word.optional() })

/** 4xx statuses that are not final: a later request may succeed. */
const TRANSIENT_STATUSES = new Set([408, 425, 429])
/** Codes of a final 409. With any other code, the first request is still in progress. */
const FINAL_CONFLICTS = new Set([
  'already_captured',
  'already_voided',
  'not_captured',
  'amount_too_large',
  'charge_disputed',
])

const MISMATCH = 'idempotency_mismatch'

/** Returns the path of an authorization. */
export const pathOf = (id: string): string => `/authorizations/${encodeURIComponent(id)}`

/** Returns the query of a page. */
export const queryOf = ({ from, to, after }: Period): string =>
  new URLSearchParams({ from: String(from), to: String(to), after: after ?? '' }).toString()

type Request = { method: 'GET' | 'POST'; path: string; idempotencyKey?: string; body?: object }

/** Sends requests to the development payment processor over a connection pool. */
export function developmentClient(url: string, withinMs: number) {
  const http = new BoundedHttp()
  const base = url.replace(/\/$/, '')

  /** Sends a request and classifies its response. A request without a response has an unknown outcome. */
  async function send<T extends object>(
    { method, path, idempotencyKey, body }: Request,
    schema: z.ZodType<T>,
  ): Promise<ProcessorResult<T>> {
    try {
      const { statusCode, text } = await http.send(base + path, {
        method,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(withinMs),
      })
      return classify(statusCode, text, schema)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      return unknown(error.message)
    }
  }

  return { send, close: () => http.close() }
}

export type Send = ReturnType<typeof developmentClient>['send']

/**
 * A readable 2xx is `yes`, a final refusal is `no`, and any other response is `unknown`. A 4xx without a code of the processor is
 * unknown too: an intermediary may have sent it after the effect.
 */
function classify<T extends object>(status: number, text: string, schema: z.ZodType<T>): ProcessorResult<T> {
  const document = parseJson(text)
  const isSuccess = status >= 200 && status < 300
  const success = isSuccess ? schema.safeParse(document).data : undefined
  if (success) return { kind: 'yes', ...success }
  const refused = Refused.safeParse(document).data
  if (isSuccess || !refused || !isFinal(status, refused.code)) {
    const result = unknown(`${status} ${refused?.code ?? 'unreadable'}`)
    return refused?.code === MISMATCH ? { ...result, needsOperator: true } : result
  }
  return { kind: 'no', code: refused.code, declineCode: refused.declineCode ?? refused.code }
}

function isFinal(status: number, code: string): boolean {
  // The key was used with other values before, and their outcome is unknown.
  if (code === MISMATCH) return false
  if (status === 409) return FINAL_CONFLICTS.has(code)
  return status >= 400 && status < 500 && !TRANSIENT_STATUSES.has(status)
}

const unknown = (reason: string) => ({ kind: 'unknown', reason }) as const

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
