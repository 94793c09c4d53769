import type { Decision, EffectRequest } from './effects.ts'
import { behaviourOf } from './cards.ts'
import type { Entry } from './ledger.ts'
import { refuse } from './responses.ts'

/** The time that a customer has at the bank. */
const OPEN_SECONDS = 600

/** An authorization that awaits the customer at the bank. No amount is authorized. */
export type Challenge = {
  id: string
  /** Epoch milliseconds. */
  at: number
  reference: string
  amount: number
  token: string
  returnUrl: string | null
  /** The name on the card statement. */
  payee?: string | undefined
  state: 'open' | 'approved' | `declined:${string}`
}

type SettleRequest = Extract<EffectRequest, { kind: 'authenticate' | 'void' }>

/** The authentications of customers: a fold over the ledger's lines of the kind `authenticate`. */
export class Challenges {
  readonly #byId = new Map<string, Challenge>()
  /** Tokens whose owner has authenticated once. */
  readonly #authenticated = new Set<string>()

  apply({ id, at, reference, amount, outcome, authentication }: Entry): void {
    const one = this.#byId.get(id)
    if (one && (outcome === 'approved' || outcome.startsWith('declined:'))) {
      one.state = outcome as Challenge['state']
      if (outcome === 'approved') this.#authenticated.add(one.token)
    }
    if (one || !authentication) return
    this.#byId.set(id, { id, at: Date.parse(at), reference, amount, ...authentication, state: 'open' })
  }

  /** Returns the challenge at `now`; null for an unknown id. */
  find(id: string, now: Date): Challenge | null {
    const one = this.#byId.get(id)
    if (!one) return null
    const isExpired = one.state === 'open' && now.getTime() > one.at + OPEN_SECONDS * 1_000
    return isExpired ? { ...one, state: 'declined:authentication_expired' } : one
  }

  isUnconfirmed(id: string, now: Date): boolean {
    const one = this.find(id, now)
    return one !== null && one.state !== 'approved'
  }

  /** Returns whether the bank requires the authentication of this token's owner. */
  isDue(token: string): boolean {
    const behaviour = behaviourOf(token)
    if (behaviour === 'authenticate_first') return !this.#authenticated.has(token)
    return behaviour === 'authenticate_always'
  }

  /** Returns the lines of the customer's answer at the bank, or of the void of an open challenge. A confirmation authorizes. */
  settle(request: SettleRequest, now: Date): Decision {
    const one = this.find(request.id, now)
    if (!one) return refuse(404, 'no_such_authorization')
    if (one.state !== 'open')
      return refuse(409, request.kind === 'void' ? 'already_voided' : 'already_answered')
    const { id, reference, amount } = one
    const { idempotencyKey, fingerprint } = request
    const line = { at: now.toISOString(), idempotencyKey, reference, amount, id, fingerprint }
    const settled = (outcome: Entry['outcome']): Entry => ({ ...line, kind: 'authenticate', outcome })
    if (request.kind === 'void') return { kind: 'effect', entry: settled('declined:cancelled') }
    if (request.outcome === 'no') return { kind: 'effect', entry: settled('declined:authentication_failed') }
    const key = `${reference}:authenticated:${id}`
    return {
      kind: 'effect',
      entry: settled('approved'),
      also: { ...line, kind: 'authorize', outcome: 'approved', idempotencyKey: key, fingerprint: key },
    }
  }
}
