import { randomBytes } from 'node:crypto'
import { behaviourOf } from './cards.ts'
import { Challenges, type Challenge } from './challenges.ts'
import { detailsOf, disputeOf, effectsOf, secondsOf, standingRefunds, type Details } from './details.ts'
import type { Authorization, Decision, EffectRequest } from './effects.ts'
import type { Entry } from './ledger.ts'
import { impossible, type Move } from './moves.ts'
import { refuse, responseTo } from './responses.ts'

export type Found = { id: string; reference: string; amount: number; refunded?: number; status: string }

const statusOf = ({ captured, refunded, voided }: Authorization): string => {
  if (voided) return 'voided'
  if (captured === null) return 'authorized'
  return refunded === captured ? 'refunded' : 'captured'
}

/** A charge has about 150 bytes, and a response may have 2 MiB. */
const PAGE = 500
/** The minimum of an authorization in cents, which is Stripe's minimum for USD (docs.stripe.com/currencies). */
const MINIMUM = 50

const shown = (one: Authorization): Found => ({
  id: one.id,
  reference: one.reference,
  amount: one.captured ?? one.amount,
  ...(one.refunded > 0 && one.refunded !== one.captured && { refunded: one.refunded }),
  status: statusOf(one),
})

/** A period in epoch seconds, and the position of a page in it. */
type Time = { from: number; to: number; after: number }

/** Returns a page of what was recorded from `from` to before `to`, oldest first, and the position of the next page. */
function pageOf<T, P>(
  all: readonly T[],
  { from, to, after }: Time,
  read: { secondsOf: (one: T) => number; shown: (one: T) => readonly P[] },
): { page: P[]; after: number | null } {
  const page: P[] = []
  for (const [index, one] of all.slice(after).entries()) {
    const at = read.secondsOf(one)
    if (at < from || at >= to) continue
    if (page.length >= PAGE) return { page, after: after + index }
    page.push(...read.shown(one))
  }
  return { page, after: null }
}

/**
 * The state of the processor: a fold over the ledger, so a restart changes nothing. Only effects are stored under their idempotency
 * key. A refused request has no effect, and is decided again each time.
 */
export class Book {
  readonly #authorizations = new Map<string, Authorization>()
  readonly #byReference = new Map<string, Authorization[]>()
  readonly #inOrder: Authorization[] = []
  readonly #byKey = new Map<string, Entry>()
  readonly #effects: Entry[] = []
  readonly #challenges = new Challenges()
  readonly #disputed = new Map<string, Authorization>()
  readonly #isDetached: (token: string) => boolean

  /** `isDetached`: whether the owner of a card has removed it. */
  constructor(entries: readonly Entry[], isDetached: (token: string) => boolean = () => false) {
    this.#isDetached = isDetached
    for (const entry of entries) this.#apply(entry)
  }

  /** Returns the decision, and applies an effect immediately, so that a concurrent request finds it. */
  decide(request: EffectRequest, now: Date): Decision {
    const known = this.#byKey.get(request.idempotencyKey)
    if (known) {
      if (known.fingerprint !== request.fingerprint) return refuse(422, 'idempotency_mismatch')
      return { kind: 'response', response: responseTo(known) }
    }
    const decision = this.#decide(request, now)
    if (decision.kind === 'effect') this.#apply(decision.entry)
    if (decision.kind === 'effect' && decision.also) this.#apply(decision.also)
    return decision
  }

  find(reference: string): Found[] {
    return (this.#byReference.get(reference) ?? []).map(shown)
  }

  /** Returns a page of the charges created from `from` to before `to` (epoch seconds), oldest first. */
  list(time: Time) {
    return pageOf(this.#inOrder, time, { secondsOf: ({ at }) => at, shown: (one) => [shown(one)] })
  }

  /** Returns an authorization with its refunds and disputes; null for an unknown id. */
  details(id: string): (Details & { status: string }) | null {
    const one = this.#authorizations.get(id)
    return one ? { ...detailsOf(one), status: statusOf(one) } : null
  }

  /** Returns an authentication of a customer; null for an unknown id. */
  challenge(id: string, now: Date): Challenge | null {
    return this.#challenges.find(id, now)
  }

  /** Returns the newest authorizations with their refunds and disputes. */
  newest(limit: number): Details[] {
    return this.#inOrder.slice(-limit).toReversed().map(detailsOf)
  }

  /** Returns a page of the balance transactions from `from` to before `to` (epoch seconds), oldest first. */
  balanceTransactions(time: Time) {
    return pageOf(this.#effects, time, { secondsOf, shown: effectsOf })
  }

  #decide(request: EffectRequest, now: Date): Decision {
    if (request.kind === 'authorize' && this.#isDetached(request.token)) return refuse(400, 'no_such_token')
    if (request.kind === 'authorize') return authorize(request, now, this.#challenges.isDue(request.token))
    if (request.kind === 'authenticate') return this.#challenges.settle(request, now)
    if (request.kind === 'void' && this.#challenges.isUnconfirmed(request.id, now))
      return this.#challenges.settle(request, now)
    if (request.kind === 'close-dispute') return this.#closeDispute(request, now)
    if (request.kind === 'fail-refund') return this.#failRefund(request, now)
    return this.#move(request, now)
  }

  /** Fails the latest refund of an order that has not failed. */
  #failRefund(request: Extract<EffectRequest, { kind: 'fail-refund' }>, now: Date): Decision {
    const one = (this.#byReference.get(request.reference) ?? []).at(-1)
    const refund = one && standingRefunds(one.entries).at(-1)
    if (!one || !refund) return refuse(404, 'no_such_refund')
    const { id, reference } = one
    const failed = refund.idempotencyKey
    const what = { reference, amount: refund.amount, id, outcome: 'failed', failed } as const
    return effect({ ...request, kind: 'refund' }, what, now)
  }

  #closeDispute(request: Extract<EffectRequest, { kind: 'close-dispute' }>, now: Date): Decision {
    const one = this.#disputed.get(request.dispute)
    const dispute = one && disputeOf(one, request.dispute)
    if (!one || !dispute) return refuse(404, 'no_such_dispute')
    if (dispute.state !== 'open') return refuse(409, 'already_closed')
    const { id, reference } = one
    const { amount, reason } = dispute
    const what = { reference, amount, id, outcome: request.outcome, dispute: { id: dispute.id, reason } }
    return effect({ ...request, kind: 'dispute' }, what, now)
  }

  #move(request: Move, now: Date): Decision {
    const one = this.#authorizations.get(request.id)
    if (!one) return refuse(404, 'no_such_authorization')
    const fault = impossible(one, request)
    if (fault !== null) return refuse(409, fault)
    const amount = request.kind === 'void' ? one.amount : request.amount
    const what = { reference: one.reference, amount, id: one.id, outcome: 'approved' } as const
    if (request.kind !== 'dispute') return effect(request, what, now)
    const { reason, isRefundable } = request
    const dispute = { id: `dp_${randomBytes(12).toString('hex')}`, reason, isRefundable }
    return effect(request, { ...what, dispute }, now)
  }

  #apply(entry: Entry): void {
    this.#byKey.set(entry.idempotencyKey, entry)
    if (entry.kind === 'authenticate') return this.#challenges.apply(entry)
    if (entry.outcome.startsWith('declined:')) return
    const { id, reference, amount } = entry
    const one = this.#authorizations.get(id) ?? {
      id,
      at: secondsOf(entry),
      reference,
      amount,
      captured: null,
      refunded: 0,
      voided: false,
      entries: [],
    }
    one.entries.push(entry)
    this.#effects.push(entry)
    if (entry.dispute) this.#disputed.set(entry.dispute.id, one)
    if (entry.kind === 'authorize') {
      this.#authorizations.set(id, one)
      this.#inOrder.push(one)
      this.#byReference.set(reference, [...(this.#byReference.get(reference) ?? []), one])
    }
    if (entry.kind === 'capture') one.captured = amount
    if (entry.kind === 'refund') one.refunded += entry.outcome === 'failed' ? -amount : amount
    if (entry.kind === 'void') one.voided = true
  }
}

function authorize(
  request: Extract<EffectRequest, { kind: 'authorize' }>,
  now: Date,
  isDue: boolean,
): Decision {
  const behaviour = behaviourOf(request.token)
  if (behaviour === null) return refuse(400, 'no_such_token')
  if (request.amount < MINIMUM) return refuse(400, 'amount_too_small')
  const { reference, amount, token, authentication, statementSuffix: payee } = request
  const what = { reference, amount, id: `auth_${randomBytes(12).toString('hex')}` }
  if (isDue && authentication) {
    const given = { token, returnUrl: authentication.returnUrl, ...(payee !== undefined && { payee }) }
    const opened = { ...what, outcome: 'open', authentication: given } as const
    return effect({ ...request, kind: 'authenticate' }, opened, now)
  }
  const isApproved = behaviour === 'approved' || behaviour.startsWith('authenticate_')
  const reason = isDue ? 'authentication_required' : behaviour
  return effect(request, { ...what, outcome: isApproved && !isDue ? 'approved' : `declined:${reason}` }, now)
}

const effect = (
  { kind, idempotencyKey, fingerprint }: Pick<Entry, 'kind' | 'idempotencyKey' | 'fingerprint'>,
  what: Pick<Entry, 'reference' | 'amount' | 'id' | 'outcome' | 'failed' | 'dispute' | 'authentication'>,
  now: Date,
): Decision => ({
  kind: 'effect',
  entry: { at: now.toISOString(), kind, idempotencyKey, fingerprint, ...what },
})
