import { setTimeout as wait } from 'node:timers/promises'
import { startStack, type Stack, type StackOptions } from '../../dev/stack.ts'
import { Api } from '../support/api.ts'
import { card, cast, pickup } from '../support/cast.ts'
import type { Figures } from '../support/load/figures.ts'
import { LoadGenerator, requestBytes, type Outcomes, type Source } from '../support/load/generator.ts'
import { cpuShares, processGroupsOf } from '../support/processes.ts'

/** The result of a goal, and its figures. */
export type Goal = [isMet: boolean, goal: string]

export const print = (line: string) => process.stdout.write(`${line}\n`)

/** For the orders service: a console order that no person starts is cancelled, here only after the run. */
export const NO_CANCELLATIONS = { TAKE_DEADLINE_MS: '86400000' }

/** A stack under load with two generators: one for the many requests, one for the few timed requests. */
export class Tool {
  readonly stack: Stack
  readonly api: Api
  readonly #crowd: LoadGenerator
  readonly #calm: LoadGenerator

  private constructor(stack: Stack, generators: readonly [LoadGenerator, LoadGenerator]) {
    this.stack = stack
    this.api = new Api(() => stack.file)
    ;[this.#crowd, this.#calm] = generators
  }

  /** Starts a new stack, measures, and prints the goals. The exit code is 0 if goals exist and all are met. */
  static async run(
    name: string,
    options: Pick<StackOptions, 'env'>,
    measure: (tool: Tool) => Promise<Goal[]>,
  ): Promise<void> {
    await using cleanup = new AsyncDisposableStack()
    const runDirectory = new URL(`../../.run/${name}`, import.meta.url).pathname
    const stack = await startStack({ ...options, runDirectory, fresh: true })
    cleanup.defer(() => stack.stop())
    const start = async () => {
      const generator = await LoadGenerator.start()
      cleanup.defer(() => generator.stop())
      return generator
    }
    const goals = await measure(new Tool(stack, [await start(), await start()]))
    for (const [isMet, goal] of goals) print(`${isMet ? 'met   ' : 'MISSED'} ${goal}`)
    process.exitCode = goals.length > 0 && goals.every(([isMet]) => isMet) ? 0 : 1
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

/**
 * Returns the highest goodput at which the p99 of accepted requests is at most `withinMs`. Rates rise until most requests are
 * rejected.
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

export const manyNames = (count: number) => Array.from({ length: count }, (_, at) => `application ${at}`)
