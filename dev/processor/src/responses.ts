import type { z } from 'zod'
import type { Decision, Response } from './effects.ts'
import type { Entry } from './ledger.ts'

const STATUS = {
  authorize: 'authorized',
  capture: 'captured',
  void: 'voided',
  refund: 'refunded',
  dispute: 'disputed',
  authenticate: 'authorized',
} as const

/** Names the fields, never their values, because one of them may be a card number. */
export const invalidFields = (...fields: string[]): Response => ({
  status: 400,
  body: { code: 'invalid_request', fields },
})

/** Names the invalid fields. */
export const invalid = ({ issues }: z.ZodError): Response =>
  invalidFields(...issues.map(({ path }) => path.map(String).join('.')))

export const refuse = (status: number, code: string): Decision => ({
  kind: 'response',
  response: { status, body: { code } },
})

/** Returns the response to an effect, which is also the replay under its key. */
export function responseTo({ kind, outcome, id, amount, dispute }: Entry): Response {
  if (outcome === 'failed') return { status: 200, body: { id, status: 'failed', amount } }
  if (dispute) {
    const state = outcome === 'won' || outcome === 'lost' ? outcome : 'open'
    return { status: 200, body: { id: dispute.id, authorization: id, state, amount, reason: dispute.reason } }
  }
  if (outcome === 'open') return { status: 200, body: { id, status: 'requires_action', amount } }
  if (kind === 'authenticate' && outcome !== 'approved')
    return { status: 200, body: { id, status: 'declined', amount } }
  if (outcome === 'approved') return { status: 200, body: { id, status: STATUS[kind], amount } }
  const declineCode = outcome.slice('declined:'.length)
  const ownCode = declineCode === 'expired_card' || declineCode === 'incorrect_cvc'
  return { status: 402, body: { code: ownCode ? declineCode : 'card_declined', declineCode } }
}
