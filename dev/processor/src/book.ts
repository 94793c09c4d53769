import { randomBytes } from 'node:crypto'
import { behaviourOf } from './cards.ts'
import type { Entry } from './ledger.ts'

/** An answer of the processor: status and body. */
export type Answer = { status: number; body: Record<string, unknown> }

/** What a request asks for, and what identifies it. `fingerprint` is the same for the same request only. */
export type Asked = { idempotencyKey: string; fingerprint: string } & (
  | { kind: 'authorize'; token: string; amount: number; reference: string }
  | { kind: 'capture' | 'refund'; id: string; amount: number }
  | { kind: 'void'; id: string }
)

/** An effect to be written down before it is answered, or an answer without one. */
export type Decision = { kind: 'effect'; entry: Entry } | { kind: 'answer'; answer: Answer }

/** Amounts in cents: `amount` is what was authorized, `captured` null until something is. */
type Authorization = {
  id: string
  /** When it was made, epoch seconds. */
  at: number
  reference: string
  amount: number
  captured: number | null
  refunded: number
  voided: boolean
}

export type Found = { id: string; reference: string; amount: number; status: string }

const statusOf = ({ captured, refunded, voided }: Authorization): string => {
  if (voided) return 'voided'
  if (captured === null) return 'authorized'
  return refunded === captured ? 'refunded' : 'captured'
}

/** Each has some 150 bytes, and an answer may have 256 KiB. */
const PAGE = 500

/** The smallest amount that is authorized, in cents: Stripe's for USD (docs.stripe.com/currencies). */
const MINIMUM = 50

const shown = (one: Authorization): Found => ({
  id: one.id,
  reference: one.reference,
  amount: one.captured ?? one.amount,
  status: statusOf(one),
})

const refuse = (status: number, code: string): Decision => ({
  kind: 'answer',
  answer: { status, body: { code } },
})

/**
 * What the processor knows: a fold over the ledger, so that a restart changes nothing. Only effects are
 * kept under their idempotency key; an impossible move has none and is judged anew each time.
 */
export class Book {
  readonly #authorizations = new Map<string, Authorization>()
  readonly #byReference = new Map<string, Authorization[]>()
  readonly #inOrder: Authorization[] = []
  readonly #byKey = new Map<string, Entry>()

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#apply(entry)
  }

  /** Decides and, for an effect, changes the book at once: of two requests in hand the second sees the first. */
  decide(asked: Asked, now: Date): Decision {
    const known = this.#byKey.get(asked.idempotencyKey)
    if (known) {
      if (known.fingerprint !== asked.fingerprint) return refuse(422, 'idempotency_mismatch')
      return { kind: 'answer', answer: answerOf(known) }
    }
    const decision = asked.kind === 'authorize' ? authorize(asked, now) : this.#move(asked, now)
    if (decision.kind === 'effect') this.#apply(decision.entry)
    return decision
  }

  find(reference: string): Found[] {
    return (this.#byReference.get(reference) ?? []).map(shown)
  }

  /** What was made from `from` to before `to` (epoch seconds), oldest first, a page at a time. */
  list({ from, to, after }: { from: number; to: number; after: number }): {
    page: Found[]
    after: number | null
  } {
    const page: Found[] = []
    for (let at = after; at < this.#inOrder.length; at++) {
      const one = this.#inOrder[at]
      if (!one || one.at < from || one.at >= to) continue
      if (page.length === PAGE) return { page, after: at }
      page.push(shown(one))
    }
    return { page, after: null }
  }

  #move(asked: Exclude<Asked, { kind: 'authorize' }>, now: Date): Decision {
    const one = this.#authorizations.get(asked.id)
    if (!one) return refuse(404, 'no_such_authorization')
    const fault = impossible(one, asked)
    if (fault !== null) return refuse(409, fault)
    const amount = asked.kind === 'void' ? one.amount : asked.amount
    return effect(asked, { reference: one.reference, amount, id: one.id, outcome: 'approved' }, now)
  }

  #apply(entry: Entry): void {
    this.#byKey.set(entry.idempotencyKey, entry)
    if (entry.outcome !== 'approved') return
    const { id, reference, amount } = entry
    const one = this.#authorizations.get(id) ?? {
      id,
      at: Math.floor(Date.parse(entry.at) / 1000),
      reference,
      amount,
      captured: null,
      refunded: 0,
      voided: false,
    }
    if (entry.kind === 'authorize') {
      this.#authorizations.set(id, one)
      this.#inOrder.push(one)
      this.#byReference.set(reference, [...(this.#byReference.get(reference) ?? []), one])
    }
    if (entry.kind === 'capture') one.captured = amount
    if (entry.kind === 'refund') one.refunded += amount
    if (entry.kind === 'void') one.voided = true
  }
}

function authorize(asked: Extract<Asked, { kind: 'authorize' }>, now: Date): Decision {
  const behaviour = behaviourOf(asked.token)
  if (behaviour === null) return refuse(400, 'no_such_token')
  if (asked.amount < MINIMUM) return refuse(400, 'amount_too_small')
  const outcome = behaviour === 'approved' ? 'approved' : (`declined:${behaviour}` as const)
  const { reference, amount } = asked
  return effect(asked, { reference, amount, id: `auth_${randomBytes(12).toString('hex')}`, outcome }, now)
}

function impossible(one: Authorization, asked: Exclude<Asked, { kind: 'authorize' }>): string | null {
  if (one.voided) return 'already_voided'
  if (asked.kind === 'refund') {
    if (one.captured === null) return 'not_captured'
    return asked.amount > one.captured - one.refunded ? 'amount_too_large' : null
  }
  if (one.captured !== null) return 'already_captured'
  return asked.kind === 'capture' && asked.amount > one.amount ? 'amount_too_large' : null
}

const effect = (
  { kind, idempotencyKey, fingerprint }: Asked,
  what: Pick<Entry, 'reference' | 'amount' | 'id' | 'outcome'>,
  now: Date,
): Decision => {
  const { reference, amount, outcome, id } = what
  const at = now.toISOString()
  return {
    kind: 'effect',
    entry: { at, kind, idempotencyKey, reference, amount, outcome, id, fingerprint },
  }
}

const STATUS = { authorize: 'authorized', capture: 'captured', void: 'voided', refund: 'refunded' } as const

/** The answer that an effect was given, and is given each time its key comes again. */
export function answerOf({ kind, outcome, id, amount }: Entry): Answer {
  if (outcome === 'approved') return { status: 200, body: { id, status: STATUS[kind], amount } }
  const declineCode = outcome.slice('declined:'.length)
  const ownCode = declineCode === 'expired_card' || declineCode === 'incorrect_cvc'
  return { status: 402, body: { code: ownCode ? declineCode : 'card_declined', declineCode } }
}
