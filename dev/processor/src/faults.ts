import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Response } from './effects.ts'
import { generatorOf } from './random.ts'

/** The kinds of requests. */
const KINDS = ['tokenize', 'detach', 'authorize', 'capture', 'void', 'refund', 'find', 'event'] as const
export type Kind = (typeof KINDS)[number]

/**
 * The faults of a request. The ledger always contains the true effects: a request that is dropped after its effect has a line, a
 * request that is dropped before its effect has none, and a wrong amount is only in the response.
 */
export const FAULTS = [
  'drop-request',
  'drop-reply',
  'error-after-effect',
  'slow',
  'in-progress',
  'rate-limited',
  'wrong-amount',
] as const
export type Fault = (typeof FAULTS)[number]

/** Applies to the `next` requests of these kinds, or to each with this probability. `ms` is the delay of `slow`. */
const Rule = z
  .strictObject({
    fault: z.enum(FAULTS),
    on: z
      .array(z.enum(KINDS))
      .min(1)
      .default([...KINDS]),
    /** Only requests and events about this order. */
    reference: z.string().optional(),
    next: z.int().min(1).optional(),
    probability: z.number().min(0).max(1).optional(),
    ms: z.int().min(0).max(60_000).default(3_000),
  })
  .refine(({ next, probability }) => (next === undefined) !== (probability === undefined), {
    message: 'requires either next or probability',
  })

/** With the same seed, an equal sequence of requests has the same faults. */
export const FaultPlan = z.strictObject({ seed: z.int().default(1), rules: z.array(Rule).default([]) })
export type FaultPlan = z.output<typeof FaultPlan>
type Rule = z.output<typeof Rule>

const NONE: FaultPlan = { seed: 1, rules: [] }

/** Resolves after `ms`. */
export type Wait = (ms: number) => Promise<unknown>

/** The active faults. If several rules match a request, the first one applies. */
export class Faults {
  #plan = NONE
  #random = generatorOf(NONE.seed)
  #happened: Partial<Record<Fault, number>> = {}
  readonly #wait: Wait

  constructor(plan: FaultPlan = NONE, wait: Wait = setTimeout) {
    this.#wait = wait
    this.set(plan)
  }

  set({ seed, rules }: FaultPlan): void {
    this.#plan = { seed, rules: rules.map((rule) => ({ ...rule })) }
    this.#random = generatorOf(seed)
    this.#happened = {}
  }

  /** Returns the plan with the remaining `next` of each rule, and the number of injected faults by kind. */
  get state() {
    return { ...this.#plan, happened: this.#happened }
  }

  /**
   * Returns the response under the fault that is due. Null: the connection must be closed without a response. `reference`: the
   * order, if the request contains it.
   */
  async strike(kind: Kind, work: () => Promise<Response>, reference?: string): Promise<Response | null> {
    const due = this.#draw(kind, reference)
    switch (due?.fault) {
      case undefined:
        return work()
      case 'drop-request':
        return null
      case 'drop-reply':
        await work()
        return null
      case 'error-after-effect':
        await work()
        return { status: 500, body: { code: 'internal_error' } }
      case 'slow':
        // The delay precedes the effect, so that the effect is late for a client with a shorter time limit.
        await this.#wait(due.ms)
        return work()
      case 'in-progress':
        return { status: 409, body: { code: 'idempotency_in_progress' } }
      case 'rate-limited':
        return { status: 429, body: { code: 'too_many_requests' } }
      case 'wrong-amount':
        return withOtherAmounts(await work())
    }
  }

  #draw(kind: Kind, reference: string | undefined): { fault: Fault; ms: number } | null {
    const due = this.#plan.rules.find(
      (rule) =>
        rule.on.includes(kind) &&
        (rule.reference === undefined || rule.reference === reference) &&
        this.#strikes(rule),
    )
    if (!due) return null
    if (due.next !== undefined) due.next--
    this.#happened[due.fault] = (this.#happened[due.fault] ?? 0) + 1
    return due
  }

  #strikes({ next, probability = 0 }: Rule): boolean {
    return next === undefined ? this.#random() < probability : next > 0
  }
}

/** Adds one cent to every amount in a response. */
function withOtherAmounts({ status, body }: Response): Response {
  const text = JSON.stringify(body)
  const other: unknown = JSON.parse(text, (key, value: unknown) =>
    key === 'amount' && typeof value === 'number' ? value + 1 : value,
  )
  return { status, body: other as Response['body'] }
}
