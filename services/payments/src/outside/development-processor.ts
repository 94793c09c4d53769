import { Cents, Charge } from '@platter/contracts'
import { z } from 'zod'
import type { Challenge, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import { developmentClient, pathOf, queryOf, type Send } from '#/outside/development-client.ts'
import { developmentReads } from '#/outside/development-reads.ts'
import { CALL_WITHIN_MS, findRefund, Id, Word, type Processor } from '#/outside/processor.ts'

const Effect = z.object({ id: Id, amount: Cents })
const Open = z.object({ id: Id, status: z.literal('requires_action') })
const Checked = Effect.extend({
  status: z.enum(['requires_action', 'authorized', 'captured', 'voided', 'refunded', 'declined']),
  declineCode: Word.optional(),
})
type Checked = z.output<typeof Checked>
const FoundList = z
  .object({ authorizations: z.array(Effect.extend(Charge.pick({ status: true, refunded: true }).shape)) })
  .transform(({ authorizations: found }) => ({ found }))
const ChargeList = z
  .object({ authorizations: z.array(Charge), after: z.string().nullable() })
  .transform(({ authorizations: charges, after }) => ({ charges, after }))
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

/** `publicUrl`: the URL for browsers. */
type Urls = { url: string; publicUrl?: string }

/** Returns a client of the development payment processor (dev/processor), over HTTP like a real processor. */
export function developmentProcessor(
  { url, publicUrl = url }: Urls,
  callWithinMs = CALL_WITHIN_MS,
): Processor {
  const { send, close } = developmentClient(url, callWithinMs)
  const reads = developmentReads(send)

  const change = (id: string, name: string, idempotencyKey: string, body: object) =>
    send({ method: 'POST', path: `${pathOf(id)}/${name}`, idempotencyKey, body }, Effect)

  return {
    ...savingCards(send),
    ...authorizing(send, publicUrl),
    ...reads,
    capture: ({ id, idempotencyKey, amount }) => change(id, 'capture', idempotencyKey, { amount }),
    void: ({ id, idempotencyKey }) => change(id, 'void', idempotencyKey, {}),
    refund: ({ id, idempotencyKey, amount }) => change(id, 'refund', idempotencyKey, { amount }),
    async refundPart(part) {
      const result = await change(part.id, 'refund', part.idempotencyKey, { amount: part.amount })
      // The response contains the id of the charge; the look-up returns the refund's own id.
      return result.kind === 'yes' ? findRefund(reads, part) : result
    },
    find: ({ reference }) =>
      send({ method: 'GET', path: `/authorizations?reference=${encodeURIComponent(reference)}` }, FoundList),
    list: (time) => send({ method: 'GET', path: `/authorizations?${queryOf(time)}` }, ChargeList),
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
