import { Charge } from '@platter/contracts'
import { wasNotSent } from '@platter/kit'
import { Pool } from 'undici'
import { z } from 'zod'
import type { Challenge, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import {
  CALL_WITHIN_MS,
  CONNECT_WITHIN_MS,
  CONNECTIONS,
  Id,
  nameOf,
  RESPONSE_BYTES,
  Word,
  type Processor,
} from '#/outside/processor.ts'

const Effect = z.object({ id: Id, amount: z.int() })
const Open = z.object({ id: Id, status: z.literal('requires_action') })
const Checked = Effect.extend({
  status: z.enum(['requires_action', 'authorized', 'captured', 'voided', 'refunded', 'declined']),
  declineCode: Word.optional(),
})
type Checked = z.output<typeof Checked>
const FoundList = z.object({
  authorizations: z.array(
    Effect.extend({
      status: z.enum(['authorized', 'captured', 'voided', 'refunded']),
      refunded: z.int().exactOptional(),
    }),
  ),
})
const Details = z.object({
  refunds: z.array(
    z.object({ id: Id, idempotencyKey: z.string().nullable(), state: z.enum(['done', 'pending', 'failed']) }),
  ),
})
const ChargeList = z.object({ authorizations: z.array(Charge), after: z.string().nullable() })
const TwoDigits = z.string().regex(/^\d\d$/)
const Token = z.object({
  token: Id,
  brand: Word,
  lastFour: z.string().regex(/^\d{4}$/),
  expirationMonth: TwoDigits.optional(),
  expirationYear: TwoDigits.optional(),
})
const SavedCard = Token.omit({ token: true }).required()
const Detached = z.object({ detached: z.literal(true) })
const Refused = z.object({ code: Word, declineCode: Word.optional() })

/** 4xx statuses that are not final: a later request may succeed. */
const TRANSIENT_STATUSES = new Set([408, 425, 429])
/** Codes of a final 409. With any other code, the first request is still in progress. */
const FINAL_CONFLICTS = new Set(['already_captured', 'already_voided', 'not_captured', 'amount_too_large'])

const MISMATCH = 'idempotency_mismatch'

/** Returns the path of an authorization. */
export const pathOf = (id: string): string => `/authorizations/${encodeURIComponent(id)}`

/** Returns the query of a page. */
export const queryOf = ({ from, to, after }: { from: number; to: number; after: string | null }): string =>
  new URLSearchParams({ from: String(from), to: String(to), after: after ?? '' }).toString()

type Request = { method: 'GET' | 'POST'; path: string; idempotencyKey?: string; body?: object }

/** Sends requests to the development payment processor over a connection pool. */
export function developmentClient(url: string, options: { connections: number; callWithinMs: number }) {
  const pool = new Pool(url, {
    connections: options.connections,
    connectTimeout: CONNECT_WITHIN_MS,
    maxResponseSize: RESPONSE_BYTES,
  })
  const base = new URL(url).pathname.replace(/\/$/, '')

  /** Sends a request and classifies its response. Never rejects. */
  async function send<T extends object>(
    { method, path, idempotencyKey, body }: Request,
    schema: z.ZodType<T>,
  ): Promise<ProcessorResult<T>> {
    try {
      const response = await pool.request({
        method,
        path: base + path,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: body ? JSON.stringify(body) : null,
        signal: AbortSignal.timeout(options.callWithinMs),
      })
      return classify(response.statusCode, await response.body.text(), schema)
    } catch (error) {
      return { kind: 'unknown', reason: nameOf(error), sent: !wasNotSent(error) }
    }
  }

  return { send, close: () => pool.destroy() }
}

type Send = ReturnType<typeof developmentClient>['send']

/** `publicUrl`: the URL for browsers. */
type Urls = { url: string; publicUrl?: string }

/** Returns a client of the development payment processor (dev/processor), over HTTP like a real processor. */
export function developmentProcessor(
  { url, publicUrl = url }: Urls,
  callWithinMs = CALL_WITHIN_MS,
): Processor {
  const { send, close } = developmentClient(url, { connections: CONNECTIONS, callWithinMs })

  const change = (id: string, name: string, idempotencyKey: string, body: object) =>
    send({ method: 'POST', path: `${pathOf(id)}/${name}`, idempotencyKey, body }, Effect)

  async function findRefund(id: string, key: string) {
    const result = await send({ method: 'GET', path: pathOf(id) }, Details)
    if (result.kind !== 'yes') return result
    const one = result.refunds.find(({ idempotencyKey }) => idempotencyKey === key)
    return { kind: 'yes' as const, found: one ? { refundId: one.id, state: one.state } : null }
  }

  return {
    ...savingCards(send),
    ...authorizing(send, publicUrl),
    capture: ({ id, idempotencyKey, amount }) => change(id, 'capture', idempotencyKey, { amount }),
    void: ({ id, idempotencyKey }) => change(id, 'void', idempotencyKey, {}),
    refund: ({ id, idempotencyKey, amount }) => change(id, 'refund', idempotencyKey, { amount }),
    async refundPart({ id, idempotencyKey, amount }) {
      const result = await change(id, 'refund', idempotencyKey, { amount })
      // The response contains the id of the charge; the look-up returns the refund's own id.
      return result.kind === 'yes' ? findRefund(id, idempotencyKey) : result
    },
    findRefund: ({ id, refund }) => findRefund(id, refund),
    async find({ reference }) {
      const path = `/authorizations?reference=${encodeURIComponent(reference)}`
      const result = await send({ method: 'GET', path }, FoundList)
      return result.kind === 'yes' ? { kind: 'yes', found: result.authorizations } : result
    },
    async list(time) {
      const result = await send({ method: 'GET', path: `/authorizations?${queryOf(time)}` }, ChargeList)
      return result.kind === 'yes'
        ? { kind: 'yes', charges: result.authorizations, after: result.after }
        : result
    },
    close,
  }
}

const savingCards = (send: Send): Pick<Processor, 'tokenize' | 'card' | 'detach'> => ({
  tokenize: (card) => send({ method: 'POST', path: '/tokens', body: card }, Token),
  card: ({ token }) => send({ method: 'GET', path: `/tokens/${encodeURIComponent(token)}` }, SavedCard),
  detach: ({ token }) => send({ method: 'POST', path: '/tokens/detach', body: { token } }, Detached),
})

const authorizing = (send: Send, publicUrl: string): Pick<Processor, 'authorize' | 'check'> => ({
  async authorize({ idempotencyKey, token, amount, reference, authentication, statementSuffix }) {
    const body = {
      token,
      amount,
      reference,
      ...(authentication && { authentication }),
      ...(statementSuffix !== undefined && { statementSuffix }),
    }
    const request = { method: 'POST', path: '/authorizations', idempotencyKey, body } as const
    const result = await send(request, z.union([Open, Effect]))
    if (result.kind !== 'yes') return result
    return 'status' in result ? challengeOf(result.id, publicUrl) : result
  },
  async check({ id }) {
    const result = await send({ method: 'GET', path: pathOf(id) }, Checked)
    return result.kind === 'yes' ? checkedOf(result, publicUrl) : result
  },
})

const challengeOf = (id: string, publicUrl: string): Challenge => ({
  kind: 'challenge',
  id,
  url: `${publicUrl.replace(/\/$/, '')}/authentications/${encodeURIComponent(id)}`,
})

function checkedOf(
  { id, amount, status, declineCode = 'authentication_required' }: Checked,
  publicUrl: string,
): ProcessorResult<FoundCharge> | Challenge {
  if (status === 'requires_action') return challengeOf(id, publicUrl)
  if (status === 'declined') return { kind: 'no', code: 'card_declined', declineCode }
  return { kind: 'yes', id, amount, status }
}

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
    return refused?.code === MISMATCH ? { ...result, alarm: true } : result
  }
  return { kind: 'no', code: refused.code, declineCode: refused.declineCode ?? refused.code }
}

function isFinal(status: number, code: string): boolean {
  // The key was used with other values before, and their outcome is unknown.
  if (code === MISMATCH) return false
  if (status === 409) return FINAL_CONFLICTS.has(code)
  return status >= 400 && status < 500 && !TRANSIENT_STATUSES.has(status)
}

const unknown = (reason: string) => ({ kind: 'unknown', reason, sent: true }) as const

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
