import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Stack, StackOptions } from '../../dev/stack.ts'
import { Api } from '../support/api.ts'
import { card, cast, pickup } from '../support/cast.ts'
import { figuresOf, type Figures, type Summary } from '../support/load/figures.ts'
import {
  requestBytes,
  startGenerator,
  type LoadGenerator,
  type Outcomes,
  type Source,
} from '../support/load/generator.ts'
import type { Outcome } from '../support/load/loop.ts'
import { cpuShares, processGroupsOf } from '../support/processes.ts'
import { print, startTestStack } from '../support/stack.ts'

/** For the orders service: a console order that no person starts is cancelled, here only after the run. */
export const NO_CANCELLATIONS = { TAKE_DEADLINE_MS: '86400000' }

/** A stack under load with two generators: one for the many requests, one for the few timed requests. */
export class Tool implements AsyncDisposable {
  readonly stack: Stack
  readonly api: Api
  readonly #crowd: LoadGenerator
  readonly #calm: LoadGenerator

  private constructor(stack: Stack, generators: readonly [LoadGenerator, LoadGenerator]) {
    this.stack = stack
    this.api = new Api(() => stack.file)
    ;[this.#crowd, this.#calm] = generators
  }

  static async start(name: string, env: NonNullable<StackOptions['env']>): Promise<Tool> {
    const stack = await startTestStack(name, { env })
    return new Tool(stack, [await startGenerator(), await startGenerator()])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#crowd.stop(), this.#calm.stop()])
    await this.stack.stop()
  }

  /**
   * Sends from both generators at the same time. Returns the outcomes, and the share of a core that each process used. A latency is
   * no valid result if the cores were fully used.
   */
  send(
    crowd: { connections: number; sources: readonly Source[] },
    calm: { connections: number; sources: readonly Source[] } = { connections: 0, sources: [] },
  ): Promise<[Outcomes, string]> {
    const origins = [this.stack.gateway]
    const groups = {
      ...processGroupsOf(this.stack),
      generators: () => [this.#crowd.pid, this.#calm.pid],
    }
    return cpuShares(groups, async () => {
      const outcomes = await Promise.all([
        this.#crowd.run({ origins, ...crowd }),
        this.#calm.run({ origins, ...calm }),
      ])
      return { ...outcomes[0], ...outcomes[1] }
    })
  }

  /** Returns the orders of these new applications at a restaurant with a console. */
  async orders(names: readonly string[], payment: 'cash' | 'card' = 'cash'): Promise<string[]> {
    await this.api.linkConsole(cast.aurora)
    const item = await this.api.plainItem(cast.aurora)
    const body = pickup(cast.aurora, item, payment === 'card' ? { payment, card: card() } : {})
    return Array.fromAsync(names, async (name) => {
      const { accessKey: key } = await this.api.newApplication(name)
      return requestBytes({ method: 'POST', path: '/publicapi/v1/send-order', key }, body)
    })
  }
}

export const manyNames = (count: number) => Array.from({ length: count }, (_, at) => `application ${at}`)

/**
 * Returns the highest goodput at which the p99 of accepted requests is at most `withinMs`. Rates rise until the
 * goodput is below 80 % of the rate.
 */
export async function findPeak(
  rates: readonly number[],
  withinMs: number,
  send: (rate: number) => Promise<Figures>,
): Promise<number> {
  let peak = 0
  for (const rate of rates) {
    const { accepted, goodput } = await send(rate)
    if (accepted.p99 <= withinMs) peak = Math.max(peak, goodput)
    if (goodput < rate * 0.8) break
    await wait(1_000)
  }
  if (peak === 0) throw new Error('no rate was accepted in time: the machine is too busy')
  return peak
}

// Goals --------------------------------------------------------------------------------------------------------

/** Prints a value and its goal. The test fails above the goal, and checks the others as well. */
export function expectAtMost(what: string, value: number, most: number): void {
  print(`${what}: ${value}, at most ${most}`)
  expect.soft(value, what).toBeLessThanOrEqual(most)
}

/** Like `expectAtMost`, and fails below the goal. */
export function expectAtLeast(what: string, value: number, least: number): void {
  print(`${what}: ${value}, at least ${least}`)
  expect.soft(value, what).toBeGreaterThanOrEqual(least)
}

/**
 * Measures the same timed requests alone and beside a disturbance, in turns. Other load of the machine affects both. All are
 * accepted, and beside the disturbance they take at most `times` as long, plus some ms for the machine.
 */
export async function expectUndisturbed(
  rounds: number,
  { times, plusMs, quantile }: { times: number; plusMs: number; quantile: keyof Omit<Summary, 'count'> },
  measure: (round: number, isDisturbed: boolean) => Promise<Outcome>,
): Promise<void> {
  const [alone, disturbed]: [Outcome[], Outcome[]] = [[], []]
  for (let round = 1; round <= rounds; round++) {
    alone.push(await measure(round, false))
    disturbed.push(await measure(round, true))
  }
  const [before, during] = [figuresOf(alone, 1), figuresOf(disturbed, 1)]
  const accepted = before.accepted.count + during.accepted.count
  expectAtLeast('accepted requests', accepted, Math.max(1, before.sent + during.sent))
  expectAtMost(`${quantile}, ms`, during.accepted[quantile], before.accepted[quantile] * times + plusMs)
}
