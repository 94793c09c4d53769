import { Book } from '../../dev/processor/src/book.ts'
import type { EffectRequest, Response } from '../../dev/processor/src/effects.ts'
import { responseTo } from '../../dev/processor/src/responses.ts'
import { tokenize } from '../../dev/processor/src/cards.ts'
import type { ProcessorRefund } from '../../services/payments/src/domain/refund.ts'
import type { Entry } from '../../dev/processor/src/ledger.ts'
import type {
  Challenge,
  Effect,
  FoundCharge,
  ProcessorResult,
} from '../../services/payments/src/domain/processor-result.ts'
import type { Processor, RefundPart, SavedToken } from '../../services/payments/src/outside/processor.ts'
import type { ProcessorReads } from '../../services/payments/src/outside/processor-reads.ts'
import { me, simulation } from './simulation.ts'
import type { World } from './world.ts'

const unknown = (reason: string, sent = true) => ({ kind: 'unknown', reason, sent }) as const
type Unknown = ReturnType<typeof unknown>

/** The time for which payments waits for a response. */
const RESPONSE_WITHIN_MS = 6_000
const LATEST_MS = 30_000

type Requested = Exclude<EffectRequest, { kind: 'authenticate' | 'dispute' | 'close-dispute' }>
type What<R = Requested> = R extends unknown ? Omit<R, 'fingerprint'> : never

/** The record of the development processor, and a network to it that drops, delays and repeats requests. */
export class ProcessorNetwork {
  readonly ledger: Entry[] = []
  /** The processor accepts no connection until then. */
  downUntil = 0
  readonly #book = new Book([])
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** `effect`: may be requested under one key only. */
  decide(what: What, effect = 'id' in what ? what.id : what.reference): Response {
    const { world, monitors } = simulation()
    const fingerprint = JSON.stringify(what)
    monitors.requested(what.kind, effect, what.idempotencyKey)
    const decision = this.#book.decide({ ...what, fingerprint }, new Date(Date.now()))
    if (decision.kind === 'response') {
      world.note(
        `processor: ${what.kind} ${what.idempotencyKey} again or refused: ${decision.response.status}`,
      )
      return decision.response
    }
    const { entry } = decision
    world.note(`processor: ${entry.kind} ${entry.amount} of ${entry.reference.slice(0, 4)} ${entry.outcome}`)
    this.ledger.push(entry)
    return responseTo(entry)
  }

  /** The reaction of the customer at the bank. Returns null if the bank no longer waits for it. */
  settleChallenge(id: string, outcome: 'yes' | 'no'): string | null {
    const key = `bank:${id}:${this.ledger.length}`
    const request = { kind: 'authenticate', id, outcome, idempotencyKey: key, fingerprint: key } as const
    const decision = this.#book.decide(request, new Date(Date.now()))
    if (decision.kind === 'response') return null
    const { entry, also } = decision
    this.#world.note(`processor: authenticate of ${entry.reference.slice(0, 4)} ${entry.outcome}`)
    this.ledger.push(entry, ...(also ? [also] : []))
    return entry.reference
  }

  /** Returns the state of an authorization whose customer was sent to the bank. */
  check(id: string): ProcessorResult<FoundCharge> | Challenge {
    const challenge = this.#book.challenge(id, new Date(Date.now()))
    if (!challenge) return { kind: 'no', code: 'no_such_authorization', declineCode: 'no_such_authorization' }
    const { reference, state } = challenge
    if (state === 'open') return { kind: 'challenge', id, url: id }
    if (state !== 'approved') return { kind: 'no', code: 'card_declined', declineCode: state }
    const one = this.found(reference).find((found) => found.id === id)
    if (!one) throw new Error(`${id} was approved, and is not in the book`)
    return { kind: 'yes', ...one }
  }

  found(reference: string): FoundCharge[] {
    return this.#book.find(reference).map(({ id, amount, status }) => ({ id, amount, status }) as FoundCharge)
  }

  /** Returns the idempotency keys of the refunds of a charge. */
  refundsOf(id: string): string[] {
    return this.ledger
      .filter((entry) => entry.kind === 'refund' && entry.id === id)
      .map((entry) => entry.idempotencyKey)
  }

  /** Sends one request, and returns the result that the caller sees. Never rejects, as the adapter never does. */
  request<R>(work: () => R): Promise<R | Unknown> {
    const world = this.#world
    const caller = me()
    return new Promise((resolve) => {
      const respond = (value: R | Unknown, inMs = world.hop()) =>
        world.later(inMs, caller, () => resolve(value))
      if (this.downUntil > world.now || world.strikes('processor away'))
        return void respond(unknown('ECONNREFUSED', false))
      if (world.strikes('processor: request lost'))
        return void respond(unknown('TimeoutError'), RESPONSE_WITHIN_MS)
      if (world.strikes('processor: request late')) {
        world.arrive(world.random.next() * LATEST_MS, null, () => void work())
        return void respond(unknown('TimeoutError'), RESPONSE_WITHIN_MS)
      }
      world.arrive(world.hop(), caller, () => {
        const value = work()
        if (world.strikes('processor: reply lost'))
          return respond(unknown('TimeoutError'), RESPONSE_WITHIN_MS)
        if (world.strikes('processor: 500 after the effect')) return respond(unknown('500 unreadable'))
        return respond(value)
      })
    })
  }
}

/** Parses a response like `services/payments/src/outside/development-processor.ts`. */
function read({ status, body }: Response): ProcessorResult<Effect> {
  if (status === 200) return { kind: 'yes', id: String(body['id']), amount: Number(body['amount']) }
  const { code, declineCode = code } = body as { code: string; declineCode?: string }
  return code === 'idempotency_mismatch' ? unknown(code) : { kind: 'no', code, declineCode }
}

const effect = (what: What): Promise<ProcessorResult<Effect>> => {
  const { processor } = simulation()
  return processor.request(() => read(processor.decide(what)))
}

type Found = ProcessorResult<{ found: ProcessorRefund | null }>

/** The idempotency key is the name of a refund. */
const found = (key: string, state: ProcessorRefund['state']): Found => ({
  kind: 'yes',
  found: { refundId: key, state },
})

function refundPart({ id, idempotencyKey: key, amount }: RefundPart): Found {
  const { processor: network, afterSale } = simulation()
  if (afterSale.isRefused(key))
    return { kind: 'no', code: 'insufficient_funds', declineCode: 'insufficient_funds' }
  if (afterSale.fails(key)) return found(key, afterSale.stateOf(key, true))
  const result = read(network.decide({ kind: 'refund', id, idempotencyKey: key, amount }, `part ${key}`))
  return result.kind === 'yes' ? found(key, afterSale.stateOf(key, true)) : result
}

function findRefund(id: string, key: string): Found {
  const { processor: network, afterSale } = simulation()
  const isKnown = afterSale.isFailing(key) || network.refundsOf(id).includes(key)
  if (!isKnown) return { kind: 'yes', found: null }
  return found(key, afterSale.stateOf(key, false))
}

/** The interface of the processor for payments. */
export const processor: Omit<Processor, 'list' | 'card' | 'detach' | keyof ProcessorReads> = {
  tokenize: (card) =>
    simulation().processor.request((): ProcessorResult<SavedToken> => {
      const made = 'cardNumber' in card ? tokenize(card.cardNumber) : null
      return made
        ? { kind: 'yes', ...made }
        : { kind: 'no', code: 'card_declined', declineCode: 'invalid_number' }
    }),
  authorize: (call) => {
    const { processor: network, bank } = simulation()
    return network.request((): ProcessorResult<Effect> | Challenge => {
      const response = network.decide({ kind: 'authorize', ...call })
      const isOpen = response.body['status'] === 'requires_action'
      if (!isOpen) return read(response)
      bank.challenge(call.reference)
      const id = String(response.body['id'])
      return { kind: 'challenge', id, url: id }
    })
  },
  capture: (call) => effect({ kind: 'capture', ...call }),
  void: (call) => effect({ kind: 'void', ...call }),
  refund: (call) => effect({ kind: 'refund', ...call }),
  refundPart: (call) => simulation().processor.request(() => refundPart(call)),
  findRefund: ({ id, refund }) => simulation().processor.request(() => findRefund(id, refund)),
  check: ({ id }) => {
    const { processor: network } = simulation()
    return network.request(() => network.check(id))
  },
  find: ({ reference }) =>
    simulation().processor.request(() => ({
      kind: 'yes' as const,
      found: simulation().processor.found(reference),
    })),
  close: async () => undefined,
}
