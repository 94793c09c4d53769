import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { StackOptions } from '../../dev/stack.ts'
import { Api } from '../support/api.ts'
import { card, seedRestaurants, pickup } from '../support/fixtures.ts'
import { figuresOf, type Figures, type Summary } from '../support/load/figures.ts'
import {
  requestOf,
  startGenerator,
  type Outcomes,
  type Request,
  type Source,
} from '../support/load/generator.ts'
import type { Outcome } from '../support/load/loop.ts'
import { cpuShares, processGroupsOf } from '../support/processes.ts'
import { print, startTestStack } from '../support/stack.ts'

/** For the orders service: a console order that no person starts is cancelled, here only after the run. */
export const NO_CANCELLATIONS = { TAKE_DEADLINE_MS: '86400000' }

type Sources = { connections: number; sources: readonly Source[] }
export const NO_SOURCES: Sources = { connections: 0, sources: [] }

/** Starts a stack under load with two generators: one for the many requests, one for the few timed requests. */
export async function startTool(name: string, env: NonNullable<StackOptions['env']>) {
  const stack = await startTestStack(name, { env })
  const generators = [await startGenerator(), await startGenerator()] as const
  const api = new Api(() => stack.file)
  const groups = { ...processGroupsOf(stack), generators: () => generators.map(({ pid }) => pid) }
  return {
    stack,
    api,

    /**
     * Sends from both generators at the same time. Returns the outcomes, and the share of a core that each process used. A latency is
     * no valid result if the cores were fully used.
     */
    send: (crowd: Sources, calm = NO_SOURCES): Promise<[Outcomes, string]> =>
      cpuShares(groups, async () => {
        const jobs = [crowd, calm].map((job) => ({ origins: [stack.gateway], ...job }))
        const outcomes = await Promise.all(generators.map((generator, at) => generator.run(jobs[at]!)))
        return { ...outcomes[0], ...outcomes[1] }
      }),

    /** Returns the orders of these new applications at a restaurant with a console. */
    orders: async (names: readonly string[], payment: 'cash' | 'card' = 'cash'): Promise<Request[]> => {
      await api.linkConsole(seedRestaurants.aurora)
      const item = await api.plainItem(seedRestaurants.aurora)
      const body = pickup(seedRestaurants.aurora, item, payment === 'card' ? { payment, card: card() } : {})
      return Array.fromAsync(names, async (applicationName) => {
        const { accessKey: key } = await api.newApplication(applicationName)
        return requestOf({ method: 'POST', path: '/publicapi/v1/send-order', key }, body)
      })
    },

    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all(generators.map((generator) => generator.stop()))
      await stack.stop()
    },
  }
}
export type Tool = Awaited<ReturnType<typeof startTool>>

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
