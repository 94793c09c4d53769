import { cents } from '@platter/contracts'
import { Book } from '../../dev/processor/src/book.ts'
import type { Decision, EffectRequest, Response } from '../../dev/processor/src/effects.ts'
import type { Entry } from '../../dev/processor/src/ledger.ts'
import { responseTo } from '../../dev/processor/src/responses.ts'
import type { ReadCharge, ReadRefund } from '../../services/payments/src/domain/charge-after-sale.ts'
import type { FoundRefund } from '../../services/payments/src/domain/refund.ts'
import type {
  Challenge,
  Effect,
  FoundCharge,
  ProcessorResult,
} from '../../services/payments/src/domain/processor-result.ts'
import type { Processor, RefundPart } from '../../services/payments/src/outside/processor.ts'
import { afterSale, bank, world } from './simulation.ts'

const unknown = (reason: string) => ({ kind: 'unknown', reason }) as const
const refused = (code: string, declineCode = code) => ({ kind: 'no', code, declineCode }) as const

/** The time for which payments waits for a response. */
const RESPONSE_WITHIN_MS = 6_000

type Requested = Exclude<EffectRequest, { kind: 'authenticate' | 'dispute' | 'close-dispute' }>
type What<R = Requested> = R extends unknown ? Omit<R, 'fingerprint'> : never
type Refund = ProcessorResult<FoundRefund>

/** The balance of the merchant may be too low for a refund. Another one is pending for a time, and may fail after it. */
type Fate = Pick<RefundPart, 'amount'> & {
  charge: string
  isRefused: boolean
  pendingUntil: number
  fails: boolean
  isReceived: boolean
}

/** The record of the development processor, and a network to it that drops, delays and repeats requests. */
export class ProcessorNetwork {
  readonly ledger: Entry[] = []
  /** The processor accepts no connection until then. */
  downUntil = 0
  readonly #book = new Book([])
  /** The idempotency key of each effect. No record shows a second key, because the processor refuses most second effects. */
  readonly #keys = new Map<string, string>()
  readonly #fates = new Map<string, Fate>()

  /** The interface of the processor for payments. */
  readonly port: Omit<Processor, 'tokenize' | 'list' | 'card' | 'detach' | 'close' | 'balanceTransactions'> =
    {
      authorize: (call) => this.request(() => this.#authorize({ kind: 'authorize', ...call })),
      capture: (call) => this.request(() => this.#effect({ kind: 'capture', ...call })),
      void: (call) => this.request(() => this.#effect({ kind: 'void', ...call })),
      refund: (call) => this.request(() => this.#effect({ kind: 'refund', ...call })),
      refundPart: (call) => this.request(() => this.#refundPart(call)),
      charge: (id) => this.request(() => ({ kind: 'yes', charge: this.#charge(id) })),
      check: ({ id }) => this.request(() => this.#check(id)),
      find: ({ reference }) => this.request(() => ({ kind: 'yes', found: this.#found(reference) })),
    }

  /** The reaction of the customer at the bank. Returns null if the bank no longer waits for it. */
  endChallenge(id: string, outcome: 'yes' | 'no'): string | null {
    const key = `bank:${id}:${this.ledger.length}`
    const request = { kind: 'authenticate', id, outcome, idempotencyKey: key, fingerprint: key } as const
    const decision = this.#record(request)
    return decision.kind === 'effect' ? decision.entry.reference : null
  }

  /** Sends one request, and returns the result that the caller sees. Never rejects, as the adapter never does. */
  request<R>(effect: () => R): Promise<R | ReturnType<typeof unknown>> {
    return world.exchange<R | ReturnType<typeof unknown>>('processor', {
      isUnavailable: this.downUntil > world.now,
      unavailable: unknown('ECONNREFUSED'),
      timedOut: unknown('TimeoutError'),
      withinMs: RESPONSE_WITHIN_MS,
      effect,
      handle: (respond, timeOut) => {
        const result = effect()
        if (world.faultOccurs('processor: reply lost')) return timeOut()
        respond(world.faultOccurs('processor: 500 after the effect') ? unknown('500 unreadable') : result)
      },
    })
  }

  /** `effect`: may be requested under one key only. */
  #decide(what: What, effect = 'id' in what ? what.id : what.reference): Response {
    const { kind, idempotencyKey: key } = what
    const first = this.#keys.get(`${kind} of ${effect}`) ?? key
    if (first !== key) world.recordViolation(`${kind} of ${effect} under two keys: ${first}, ${key}`)
    this.#keys.set(`${kind} of ${effect}`, key)
    const decision = this.#record({ ...what, fingerprint: JSON.stringify(what) })
    return decision.kind === 'effect' ? responseTo(decision.entry) : decision.response
  }

  #record(request: EffectRequest): Decision {
    const decision = this.#book.decide(request, new Date(Date.now()))
    const { kind, idempotencyKey } = request
    if (decision.kind === 'effect')
      this.ledger.push(decision.entry, ...(decision.also ? [decision.also] : []))
    world.note(`processor: ${kind} under ${idempotencyKey}: ${JSON.stringify(decision).slice(0, 120)}`)
    return decision
  }

  #effect(what: What, effect?: string): ProcessorResult<Effect> {
    return read(this.#decide(what, effect))
  }

  #authorize(what: What & { reference: string }): ProcessorResult<Effect> | Challenge {
    const response = this.#decide(what)
    if (response.body['status'] !== 'requires_action') return read(response)
    bank.challenge(what.reference)
    const id = String(response.body['id'])
    return { kind: 'challenge', id, url: id }
  }

  /** Returns the state of an authorization whose customer was sent to the bank. */
  #check(id: string): ProcessorResult<FoundCharge> | Challenge {
    const challenge = this.#book.challenge(id, new Date(Date.now()))
    if (!challenge) return refused('no_such_authorization')
    const { reference, state } = challenge
    if (state === 'open') return { kind: 'challenge', id, url: id }
    if (state !== 'approved') return refused('card_declined', state)
    return { kind: 'yes', ...this.#found(reference).find((found) => found.id === id)! }
  }

  #found(reference: string): FoundCharge[] {
    return this.#book.find(reference) as object[] as FoundCharge[]
  }

  #refundPart({ id, idempotencyKey: key, amount }: RefundPart): Refund {
    const fate = this.#fateOf({ id, idempotencyKey: key, amount })
    if (fate.isRefused) return refused('insufficient_funds')
    // A refund that the processor will fail never moves money.
    const result = fate.fails
      ? null
      : this.#effect({ kind: 'refund', id, idempotencyKey: key, amount }, `part ${key}`)
    if (result && result.kind !== 'yes') return result
    fate.isReceived = true
    return refundIn(fate.pendingUntil > 0 ? 'pending' : 'done', key)
  }

  #charge(id: string): ReadCharge {
    const received = [...this.#fates].filter(([, fate]) => fate.charge === id && fate.isReceived)
    const refunds = received.map(([key, { amount, pendingUntil, fails }]): ReadRefund => {
      const state = world.now < pendingUntil ? 'pending' : fails ? 'failed' : 'done'
      return { id: key, key, amount, state, at: 0 }
    })
    return { id, reference: null, refunds, disputes: [] }
  }

  /** Decides at the first request what the processor will do with a refund. */
  #fateOf({ id: charge, idempotencyKey: key, amount }: RefundPart): Fate {
    const known = this.#fates.get(key)
    if (known) return known
    const { random } = afterSale
    const isRefused = random.next() < 0.1
    const chance = isRefused ? 1 : random.next()
    const pendingUntil = chance < 0.3 ? world.now + random.next() * 60_000 : 0
    const fate = { charge, amount, isRefused, pendingUntil, fails: chance < 0.15, isReceived: false }
    this.#fates.set(key, fate)
    return fate
  }
}

/** Parses a response like `services/payments/src/outside/development-processor.ts`. */
function read({ status, body }: Response): ProcessorResult<Effect> {
  if (status === 200) return { kind: 'yes', id: String(body['id']), amount: cents(Number(body['amount'])) }
  const { code, declineCode } = body as { code: string; declineCode?: string }
  return code === 'idempotency_mismatch' ? unknown(code) : refused(code, declineCode)
}

/** The idempotency key is the name of a refund. */
const refundIn = (state: ReadRefund['state'], key: string): Refund => ({
  kind: 'yes',
  found: { id: key, state },
})
