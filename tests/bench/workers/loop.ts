import { setTimeout as wait } from 'node:timers/promises'

/** How much is to be done: for so long, or so often; side by side, or as often as a clock says. */
export type Load = {
  clients: number
  seconds?: number
  count?: number
  /** An open loop: begun at this rate whatever is still running, its latency counted from when it was due. */
  perSecond?: number
}

/** What came of it. Latencies in milliseconds. */
export type Outcome = {
  count: number
  failed: number
  /** Of the first one that failed. */
  failure: string | null
  seconds: number
  p50: number
  p99: number
  max: number
}

/** Does one of them; rejects when it came out as it should not. `n` counts from 0, and is the loop's own. */
export type One = (n: number) => Promise<void>

/** Runs a load. What fails is counted, and its latency is not. */
export function runLoad(load: Load, one: One): Promise<Outcome> {
  const tally = new Tally(one)
  return load.perSecond === undefined ? closedLoop(load, tally) : openLoop(load, load.perSecond, tally)
}

/** So many clients, each of which does one after the other. */
async function closedLoop(
  { clients, seconds = Infinity, count = Infinity }: Load,
  tally: Tally,
): Promise<Outcome> {
  const from = performance.now()
  let begun = 0
  const client = async () => {
    while (begun < count && performance.now() - from < seconds * 1_000)
      await tally.one(begun++, performance.now())
  }
  await Promise.all(Array.from({ length: clients }, client))
  return tally.outcome((performance.now() - from) / 1_000)
}

/** A timer wakes up late, and by milliseconds: what has become due meanwhile is begun at once, and is late by that much. */
async function openLoop({ seconds = 10 }: Load, perSecond: number, tally: Tally): Promise<Outcome> {
  const from = performance.now()
  const total = Math.round(perSecond * seconds)
  const running: Promise<void>[] = []
  while (running.length < total) {
    const due = from + (running.length * 1_000) / perSecond
    const early = due - performance.now()
    if (early > 0) await wait(early)
    else running.push(tally.one(running.length, due))
  }
  await Promise.all(running)
  return tally.outcome((performance.now() - from) / 1_000)
}

class Tally {
  readonly #one: One
  readonly #latencies: number[] = []
  #failed = 0
  #failure: string | null = null

  constructor(one: One) {
    this.#one = one
  }

  async one(n: number, since: number): Promise<void> {
    try {
      await this.#one(n)
      this.#latencies.push(performance.now() - since)
    } catch (error) {
      this.#failed += 1
      this.#failure ??= error instanceof Error ? error.message : String(error)
    }
  }

  outcome(seconds: number): Outcome {
    const sorted = Float64Array.from(this.#latencies).toSorted()
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
    return {
      count: sorted.length,
      failed: this.#failed,
      failure: this.#failure,
      seconds,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
    }
  }
}
