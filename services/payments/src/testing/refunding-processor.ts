import { cents } from '@platter/contracts'
import type { ReadCharge, ReadRefund } from '#/domain/charge-after-sale.ts'
import type { FoundRefund } from '#/domain/refund.ts'
import type { Effect, FoundCharge, ProcessorResult } from '#/domain/processor-result.ts'
import type { Processor } from '#/outside/processor.ts'

/** The possible faults of one request. */
export type Fault = 'none' | 'request lost' | 'response lost' | 'stays pending' | 'refused'
type Calls = Pick<
  Processor,
  'authorize' | 'capture' | 'void' | 'refund' | 'find' | 'check' | 'refundPart' | 'charge'
>

/** A processor with one captured charge. It honours idempotency keys and never refunds more than the charge. */
export class RefundingProcessor implements Calls {
  readonly refunds: ReadRefund[] = []
  calls = 0
  /** A refusal is final, and repeated under its key, as at Stripe. */
  readonly #refused = new Set<string>()
  readonly #total: number
  readonly #fault: () => Fault

  constructor(total: number, fault: () => Fault) {
    this.#total = total
    this.#fault = fault
  }

  /** Cents that are refunded, or pending. */
  get refunded(): number {
    return this.refunds.filter(({ state }) => state !== 'failed').reduce((sum, { amount }) => sum + amount, 0)
  }

  async #send<T>(work: (fault: Fault) => ProcessorResult<T>): Promise<ProcessorResult<T>> {
    this.calls += 1
    const fault = this.#fault()
    await new Promise(setImmediate)
    const result = fault === 'request lost' ? null : work(fault)
    if (fault === 'response lost' || !result) return { kind: 'unknown', reason: fault }
    return result
  }

  #refund(key: string, amount: number, fault: Fault): ReadRefund | null {
    const known = this.refunds.find((one) => one.key === key)
    if (known) return known
    const isRefused = fault === 'refused' || this.refunded + amount > this.#total
    if (isRefused) this.#refused.add(key)
    if (this.#refused.has(key)) return null
    const state = fault === 'stays pending' ? 'pending' : 'done'
    const made: ReadRefund = { key, amount: cents(amount), id: `re_${this.refunds.length}`, state, at: 0 }
    this.refunds.push(made)
    return made
  }

  refundPart({ idempotencyKey, amount }: Parameters<Processor['refundPart']>[0]) {
    return this.#send<FoundRefund>((fault) => {
      const found = this.#refund(idempotencyKey, amount, fault)
      // The first response is repeated, so it does not show the end of a pending refund.
      return found ? { kind: 'yes', found: { ...found } } : refused
    })
  }

  charge = (id: string) =>
    this.#send<{ charge: ReadCharge | null }>(() => {
      const refunds = this.refunds.map((one) => ({ ...one }))
      const charge = { id, reference: null, refunds, disputes: [] }
      return { kind: 'yes', charge }
    })

  refund({ idempotencyKey, id, amount }: Parameters<Processor['refund']>[0]) {
    return this.#send<Effect>((fault) => {
      const made = this.#refund(idempotencyKey, amount, fault === 'refused' ? 'none' : fault)
      if (!made) return refused
      made.state = 'done'
      return { kind: 'yes', id, amount }
    })
  }

  find() {
    const status = this.refunded === this.#total ? 'refunded' : 'captured'
    const refunded = status === 'captured' && this.refunded > 0 ? { refunded: cents(this.refunded) } : {}
    const found: FoundCharge[] = [{ id: 'pi_1', amount: cents(this.#total), status, ...refunded }]
    return this.#send(() => ({ kind: 'yes', found }))
  }

  authorize = () => Promise.reject(new Error('the charge is captured'))
  capture = this.authorize
  void = this.authorize
  check = this.authorize
}

const refused = { kind: 'no', code: 'amount_too_large', declineCode: 'amount_too_large' } as const
