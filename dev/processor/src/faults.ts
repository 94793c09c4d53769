import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Answer } from './book.ts'

/** What can be asked of the processor. */
export const KINDS = ['tokenize', 'authorize', 'capture', 'void', 'refund', 'find'] as const
export type Kind = (typeof KINDS)[number]

/**
 * How a request can go wrong (reliability 2.E). The ledger stays truthful: what is dropped after the effect
 * has its line, what is dropped before it has none, and another amount is only ever answered, never written.
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

/** Either the next so many requests of these kinds, or each of them with this probability. `ms` is for `slow`. */
const Rule = z
  .strictObject({
    fault: z.enum(FAULTS),
    on: z
      .array(z.enum(KINDS))
      .min(1)
      .default([...KINDS]),
    next: z.int().min(1).optional(),
    probability: z.number().min(0).max(1).optional(),
    ms: z.int().min(0).max(60_000).default(3_000),
  })
  .refine(({ next, probability }) => (next === undefined) !== (probability === undefined), {
    message: 'needs either next or probability',
  })

/** The same seed and the same requests in the same order meet the same faults. */
export const FaultPlan = z.strictObject({ seed: z.int().default(1), rules: z.array(Rule).default([]) })
export type FaultPlan = z.output<typeof FaultPlan>
type Rule = z.output<typeof Rule>

const NONE: FaultPlan = { seed: 1, rules: [] }

/** Resolves after so many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>

/** The faults that are switched on. Of several rules that fit a request the first one that strikes counts. */
export class Faults {
  #plan = NONE
  #random = randomOf(NONE.seed)
  #happened: Partial<Record<Fault, number>> = {}
  readonly #wait: Wait

  constructor(plan: FaultPlan = NONE, wait: Wait = setTimeout) {
    this.#wait = wait
    this.set(plan)
  }

  set({ seed, rules }: FaultPlan): void {
    this.#plan = { seed, rules: rules.map((rule) => ({ ...rule })) }
    this.#random = randomOf(seed)
    this.#happened = {}
  }

  clear(): void {
    this.set(NONE)
  }

  /** The plan with what is left of each `next`, and how often each fault has happened under it. */
  get state() {
    return { ...this.#plan, happened: this.#happened }
  }

  /** The answer to a request, as the fault that is due leaves it. Null: no answer, the connection is to be cut. */
  async strike(kind: Kind, work: () => Promise<Answer>): Promise<Answer | null> {
    const due = this.#draw(kind)
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
        // Before the effect: whoever does not wait for the answer meets an effect that comes late.
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

  #draw(kind: Kind): { fault: Fault; ms: number } | null {
    const due = this.#plan.rules.find((rule) => rule.on.includes(kind) && this.#strikes(rule))
    if (!due) return null
    if (due.next !== undefined) due.next--
    this.#happened[due.fault] = (this.#happened[due.fault] ?? 0) + 1
    return due
  }

  #strikes({ next, probability = 0 }: Rule): boolean {
    return next === undefined ? this.#random() < probability : next > 0
  }
}

/** One cent more than the truth, wherever an amount is answered. */
function withOtherAmounts({ status, body }: Answer): Answer {
  const text = JSON.stringify(body)
  const other: unknown = JSON.parse(text, (key, value: unknown) =>
    key === 'amount' && typeof value === 'number' ? value + 1 : value,
  )
  return { status, body: other as Answer['body'] }
}

/** mulberry32: 0 ≤ x < 1, the same sequence for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
