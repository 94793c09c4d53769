import { Charge } from '@platter/contracts'
import { wasNotSent } from '@platter/kit'
import { Pool } from 'undici'
import { z } from 'zod'
import type { Answer } from '#/domain/learn.ts'
import {
  ANSWER_BYTES,
  ANSWER_WITHIN_MS,
  CONNECT_WITHIN_MS,
  CONNECTIONS,
  Id,
  Word,
  type Processor,
  type ProcessorBook,
} from '#/outside/processor.ts'

const Effect = z.object({ id: Id, amount: z.int() })
const FoundList = z.object({
  authorizations: z.array(
    Effect.extend({ status: z.enum(['authorized', 'captured', 'voided', 'refunded']) }),
  ),
})
const ChargeList = z.object({ authorizations: z.array(Charge), after: z.string().nullable() })
const Token = z.object({
  token: Id,
  brand: Word,
  lastFour: z.string().regex(/^\d{4}$/),
})
const Refused = z.object({ code: Word, declineCode: Word.optional() })

/** Statuses that speak of the moment and not of the request. */
const NOT_FOR_GOOD = new Set([408, 425, 429])
/** A 409 with one of these is a definite no; any other one says that the first request still runs. */
const IMPOSSIBLE = new Set(['already_captured', 'already_voided', 'not_captured', 'amount_too_large'])

const MISMATCH = 'idempotency_mismatch'

type Request = { method: 'GET' | 'POST'; path: string; idempotencyKey?: string; body?: object }

/** Asks and says what the answer means; never rejects. */
function asker(pool: Pool, { base, answerWithinMs }: { base: string; answerWithinMs: number }) {
  return async function ask<T extends object>(request: Request, schema: z.ZodType<T>): Promise<Answer<T>> {
    const { method, path, idempotencyKey, body } = request
    try {
      const answer = await pool.request({
        method,
        path: base + path,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(answerWithinMs),
      })
      return classify(answer.statusCode, await answer.body.text(), schema)
    } catch (error) {
      return { kind: 'unknown', reason: nameOf(error), sent: !wasNotSent(error) }
    }
  }
}

/** The development payment processor (dev/processor) over HTTP, as a real one would be spoken to. */
export function createDevelopmentProcessor(
  url: string,
  answerWithinMs = ANSWER_WITHIN_MS,
): Processor & ProcessorBook {
  const pool = new Pool(url, {
    connections: CONNECTIONS,
    connectTimeout: CONNECT_WITHIN_MS,
    maxResponseSize: ANSWER_BYTES,
  })
  const base = new URL(url).pathname.replace(/\/$/, '')
  const ask = asker(pool, { base, answerWithinMs })

  const move = (id: string, name: string, idempotencyKey: string, body: object) =>
    ask(
      { method: 'POST', path: `/authorizations/${encodeURIComponent(id)}/${name}`, idempotencyKey, body },
      Effect,
    )

  return {
    tokenize: (card) => ask({ method: 'POST', path: '/tokens', body: card }, Token),
    authorize: ({ idempotencyKey, token, amount, reference }) =>
      ask(
        { method: 'POST', path: '/authorizations', idempotencyKey, body: { token, amount, reference } },
        Effect,
      ),
    capture: ({ id, idempotencyKey, amount }) => move(id, 'capture', idempotencyKey, { amount }),
    void: ({ id, idempotencyKey }) => move(id, 'void', idempotencyKey, {}),
    refund: ({ id, idempotencyKey, amount }) => move(id, 'refund', idempotencyKey, { amount }),
    async find({ reference }) {
      const path = `/authorizations?reference=${encodeURIComponent(reference)}`
      const answer = await ask({ method: 'GET', path }, FoundList)
      return answer.kind === 'yes' ? { kind: 'yes', found: answer.authorizations } : answer
    },
    async list({ from, to, after }) {
      const query = new URLSearchParams({ from: String(from), to: String(to), after: after ?? '' })
      const answer = await ask({ method: 'GET', path: `/authorizations?${query.toString()}` }, ChargeList)
      return answer.kind === 'yes'
        ? { kind: 'yes', charges: answer.authorizations, after: answer.after }
        : answer
    },
    close: () => pool.destroy(),
  }
}

/**
 * 2xx with a body that we understand is a yes, a refusal for good is a no, all the rest is unknown: also a
 * 4xx that is not the processor's own, for whoever stands in between may say that after the effect.
 */
function classify<T extends object>(status: number, text: string, schema: z.ZodType<T>): Answer<T> {
  const document = parseJson(text)
  const isSuccess = status >= 200 && status < 300
  const success = isSuccess ? schema.safeParse(document).data : undefined
  if (success) return { kind: 'yes', ...success }
  const refused = Refused.safeParse(document).data
  if (isSuccess || !refused || !isForGood(status, refused.code)) {
    const answer = unknown(`${status} ${refused?.code ?? 'unreadable'}`)
    return refused?.code === MISMATCH ? { ...answer, alarm: true } : answer
  }
  return { kind: 'no', code: refused.code, declineCode: refused.declineCode ?? refused.code }
}

function isForGood(status: number, code: string): boolean {
  // The key was used with other values: what came of those is exactly what nobody can tell.
  if (code === MISMATCH) return false
  if (status === 409) return IMPOSSIBLE.has(code)
  return status >= 400 && status < 500 && !NOT_FOR_GOOD.has(status)
}

const unknown = (reason: string) => ({ kind: 'unknown', reason, sent: true }) as const

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The code or name of an error; its message could quote what was sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
