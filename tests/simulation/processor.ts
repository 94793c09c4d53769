import { Book, type EffectRequest, type Response } from '../../dev/processor/src/book.ts'
import { tokenize } from '../../dev/processor/src/cards.ts'
import type { ProcessorRefund } from '../../services/payments/src/domain/refund.ts'
import type { Entry } from '../../dev/processor/src/ledger.ts'
import type {
  Effect,
  FoundCharge,
  ProcessorResult,
} from '../../services/payments/src/domain/processor-result.ts'
import type { Processor, RefundPart } from '../../services/payments/src/outside/processor.ts'
import { me, simulation } from './simulation.ts'
import type { World } from './world.ts'

const unknown = (reason: string, sent = true) => ({ kind: 'unknown', reason, sent }) as const

/** What payments waits for an answer. */
const ANSWER_WITHIN_MS = 6_000
const LATEST_MS = 30_000

type Requested = Exclude<EffectRequest, { kind: 'dispute' | 'close-dispute' }>
type What<R = Requested> = R extends unknown ? Omit<R, 'fingerprint'> : never

/** The development processor's own book, and a network to it that loses, delays and repeats. */
export class ProcessorNetwork {
  readonly ledger: Entry[] = []
  /** Takes no connection until then. */
  downUntil = 0
  readonly #book = new Book([])
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** `effect`: what may be asked for under one key only. */
  decide(what: What, effect = 'id' in what ? what.id : what.reference): Response {
    const { world, monitors } = simulation()
    const fingerprint = JSON.stringify(what)
    monitors.asked(what.kind, effect, what.idempotencyKey)
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
    const declined = entry.outcome !== 'approved'
    return declined
      ? { status: 402, body: { code: 'card_declined', declineCode: entry.outcome } }
      : { status: 200, body: { id: entry.id, amount: entry.amount } }
  }

  found(reference: string): FoundCharge[] {
    return this.#book.find(reference).map(({ id, amount, status }) => ({ id, amount, status }) as FoundCharge)
  }

  /** The idempotency keys of the refunds of a charge. */
  refundsOf(id: string): string[] {
    return this.ledger
      .filter((entry) => entry.kind === 'refund' && entry.id === id)
      .map((entry) => entry.idempotencyKey)
  }

  /** One request and its answer, as the caller gets to know it. Never rejects, as the adapter never does. */
  ask<T>(work: () => ProcessorResult<T>): Promise<ProcessorResult<T>> {
    const world = this.#world
    const caller = me()
    return new Promise((resolve) => {
      const answer = (value: ProcessorResult<T>, inMs = world.hop()) =>
        world.later(inMs, caller, () => resolve(value))
      if (this.downUntil > world.now || world.strikes('processor away'))
        return void answer(unknown('ECONNREFUSED', false))
      if (world.strikes('processor: request lost'))
        return void answer(unknown('TimeoutError'), ANSWER_WITHIN_MS)
      if (world.strikes('processor: request late')) {
        world.arrive(world.random.next() * LATEST_MS, null, () => void work())
        return void answer(unknown('TimeoutError'), ANSWER_WITHIN_MS)
      }
      world.arrive(world.hop(), caller, () => {
        const value = work()
        if (world.strikes('processor: reply lost')) return answer(unknown('TimeoutError'), ANSWER_WITHIN_MS)
        if (world.strikes('processor: 500 after the effect')) return answer(unknown('500 unreadable'))
        return answer(value)
      })
    })
  }
}

/** As `services/payments/src/outside/development-processor.ts` reads an answer. */
function read({ status, body }: Response): ProcessorResult<Effect> {
  if (status === 200) return { kind: 'yes', id: String(body['id']), amount: Number(body['amount']) }
  const { code, declineCode = code } = body as { code: string; declineCode?: string }
  return code === 'idempotency_mismatch' ? unknown(code) : { kind: 'no', code, declineCode }
}

const effect = (what: What): Promise<ProcessorResult<Effect>> => {
  const { processor } = simulation()
  return processor.ask(() => read(processor.decide(what)))
}

type Found = ProcessorResult<{ found: ProcessorRefund | null }>

/** A refund has its idempotency key as its name. */
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

/** The processor as payments speaks to it. */
export const processor: Omit<Processor, 'list'> = {
  tokenize: (card) =>
    simulation().processor.ask(() => {
      const made = 'cardNumber' in card ? tokenize(card.cardNumber) : null
      return made
        ? { kind: 'yes', ...made }
        : { kind: 'no', code: 'card_declined', declineCode: 'invalid_number' }
    }),
  authorize: (call) => effect({ kind: 'authorize', ...call }),
  capture: (call) => effect({ kind: 'capture', ...call }),
  void: (call) => effect({ kind: 'void', ...call }),
  refund: (call) => effect({ kind: 'refund', ...call }),
  refundPart: (call) => simulation().processor.ask(() => refundPart(call)),
  findRefund: ({ id, refund }) => simulation().processor.ask(() => findRefund(id, refund)),
  check: async () => ({ kind: 'unknown', reason: 'no order of a simulation can authenticate', sent: false }),
  find: ({ reference }) =>
    simulation().processor.ask(() => ({ kind: 'yes', found: simulation().processor.found(reference) })),
  close: async () => undefined,
}
