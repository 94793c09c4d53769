import type { Authorization, EffectRequest } from './effects.ts'
import { detailsOf, type Dispute } from './details.ts'

/** A request about a charge. */
export type Move = Exclude<
  EffectRequest,
  { kind: 'authorize' | 'authenticate' | 'close-dispute' | 'fail-refund' }
>

/** Returns why the state of the authorization does not allow the request; null if it does. */
export function impossible(one: Authorization, request: Move): string | null {
  if (one.voided) return 'already_voided'
  if (request.kind === 'dispute') return undisputable(one, request.amount)
  if (request.kind === 'refund') {
    if (one.captured === null) return 'not_captured'
    if (isFrozen(one)) return 'charge_disputed'
    return request.amount > one.captured - one.refunded ? 'amount_too_large' : null
  }
  if (one.captured !== null) return 'already_captured'
  return request.kind === 'capture' && request.amount > one.amount ? 'amount_too_large' : null
}

/** Stripe refuses refunds of such a charge, also of what a lost dispute has left. */
const isFrozen = (one: Authorization): boolean =>
  detailsOf(one).disputes.some(({ state, isRefundable }) => state !== 'won' && isRefundable === false)

function undisputable(one: Authorization, amount: number): string | null {
  if (one.captured === null) return 'not_captured'
  const { disputes } = detailsOf(one)
  // As at a real processor, a charge has at most one open dispute, and refunded money cannot be disputed.
  if (disputes.some(({ state }: Dispute) => state !== 'won')) return 'already_disputed'
  return amount > one.captured - one.refunded ? 'amount_too_large' : null
}
