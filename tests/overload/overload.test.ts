import { test } from 'vitest'
import { Config } from '../../services/gateway/src/config.ts'
import { storedOrders } from '../support/books.ts'
import { figuresOf, type Figures } from '../support/load/figures.ts'
import type { Request, Source } from '../support/load/generator.ts'
import { putGatewayFirst } from './precedence.ts'
import { print } from '../support/stack.ts'
import {
  expectAtLeast,
  expectAtMost,
  findPeak,
  manyNames,
  NO_CANCELLATIONS,
  startTool,
  type Tool,
} from './tool.ts'

/*
 * `SECONDS=120 npm run overload`: 30 applications together send ten times as many orders as the platform can process. Accepted
 * orders must stay as fast and as many as before, and the platform must reject the others at once. Then one application alone sends
 * ten times its quota, and later ten times the peak. A quiet application beside it, with five orders a second, must not be slowed.
 * The same run measures the peak, so that the ratios hold on any machine. The generators share its cores, and 3,000 requests a
 * second cost them an eighth of a core. The gateway has precedence over the other processes, as under Compose. `PEAK=300` sets
 * the peak, and saves the minute of its measurement.
 */

const SECONDS = Number(process.env['SECONDS'] ?? 120)
const { PEAK } = process.env
/** The factor of the peak, and of the quota of one application. */
const TIMES = 10
/** The seconds of each rate on the way to the peak. */
const STEP_S = 8
const RATES = [50, 75, 100, 150, 200, 300, 400, 600, 800]
/** The quota of an application in orders a second, in the setting of production. */
const QUOTA = Config.shape.ORDERS_PER_SECOND.parse(undefined)
/** The quotas of these applications together exceed the capacity of any machine with two cores. */
const APPLICATIONS = 30
const QUIET_RATE = 5
/** 150 orders. With fewer orders, the p99 would be the maximum. */
const QUIET_S = 30
const NOISY_S = 60
/** Rejections a second that the generator with little load times. */
const SAMPLED_RATE = 20
/**
 * Accepted orders take at most a second, and rejections 50 ms. Goodput is at least nine tenths of the peak, and normal again after
 * 10 s. Beside a noisy application, the median of a quiet one grows by at most a fifth, plus 5 ms for the machine.
 */
const GOALS = { acceptedMs: 1_000, refusedMs: 50, ofPeak: 0.9, backAfterS: 10, besideNoisy: 1.2, plusMs: 5 }
/** A generator with a larger delay measures itself. */
const LATE_MS = 50

type Name = 'all' | 'sampled' | 'noisy' | 'quiet'
/** Orders a second. `sampled` uses the applications of `all`. The generator with little load sends `sampled` and `quiet`. */
type Rates = Partial<Record<Name, number>>

/** The phases of one run. */
class Run {
  /** Responses with status 200, in all phases. */
  accepted = 0
  readonly #tool: Tool
  readonly #requests: Record<Name, Request[]>

  constructor(tool: Tool, requests: Record<Name, Request[]>) {
    this.#tool = tool
    this.#requests = requests
  }

  async phase(name: string, seconds: number, rates: Rates): Promise<Record<Name, Figures>> {
    const sources = (...names: Name[]): Source[] =>
      names.flatMap((source) => {
        const perSecond = rates[source]
        const requests = this.#requests[source]
        return perSecond === undefined ? [] : [{ name: source, load: { perSecond, seconds }, requests }]
      })
    const [outcomes, shares] = await this.#tool.send(
      { connections: 700, sources: sources('all', 'noisy') },
      { connections: 100, sources: sources('sampled', 'quiet') },
    )
    print(`--- ${name}\n${shares}`)
    const figures = Object.entries(outcomes).map(([source, outcome]) => {
      const one = figuresOf([outcome], seconds)
      this.accepted += one.accepted.count
      print(`${source}: ${JSON.stringify(one)}`)
      return [source, one]
    })
    return Object.fromEntries(figures) as Record<Name, Figures>
  }
}

const env = { gateway: { ORDERS_PER_SECOND: String(QUOTA) }, orders: NO_CANCELLATIONS }

test('ten times the peak, and one noisy application, slow no accepted order down', async () => {
  await using tool = await startTool('overload', env)
  const all = await tool.orders(manyNames(APPLICATIONS))
  const run = new Run(tool, {
    all,
    sampled: all,
    noisy: await tool.orders(['noisy']),
    quiet: await tool.orders(['quiet']),
  })
  await putGatewayFirst(tool.stack)
  // Without a warm-up, uncompiled code would have a low peak, which is easy to sustain.
  await run.phase('warm-up', 30, { all: 100 })
  const at = async (rate: number) => (await run.phase(`${rate} a second`, STEP_S, { all: rate })).all
  const peak = PEAK === undefined ? await findPeak(RATES, GOALS.acceptedMs, at) : Number(PEAK)
  print(`peak: ${peak} orders a second`)
  // PostgreSQL has opened all its connections by now. Each connection is a process.
  await putGatewayFirst(tool.stack)
  const before = await run.phase('quiet alone', QUIET_S, { quiet: QUIET_RATE })
  const rates = { all: peak * TIMES, sampled: SAMPLED_RATE }
  const during = await run.phase(`${TIMES} times the peak for ${SECONDS} s`, SECONDS, rates)
  await run.phase('the ten seconds after', GOALS.backAfterS, { quiet: QUIET_RATE })
  const after = await run.phase('after that', QUIET_S, { quiet: QUIET_RATE })
  const besideNoisy = (rate: number) =>
    run.phase(`one application alone, ${rate} a second`, NOISY_S, { noisy: rate, quiet: QUIET_RATE })
  const noisy = await besideNoisy(QUOTA * TIMES)
  const flood = await besideNoisy(peak * TIMES)
  const stored = await storedOrders(tool.stack.file)
  expectGoalsOfOverload(during, peak)
  expectAtMost('p99 afterwards, ms', after.quiet.accepted.p99, Math.max(2 * before.quiet.accepted.p99, 50))
  expectAtMost(
    `p50 beside one application with ${TIMES} times its quota, ms`,
    noisy.quiet.accepted.p50,
    before.quiet.accepted.p50 * GOALS.besideNoisy + GOALS.plusMs,
  )
  expectAtMost(
    `p99 beside one application with ${TIMES} times the peak, ms`,
    flood.quiet.accepted.p99,
    GOALS.acceptedMs,
  )
  for (const { quiet } of [noisy, flood])
    expectAtLeast('accepted orders of the quiet application', quiet.accepted.count, quiet.sent * 0.99)
  expectAtLeast('stored orders, at least those with a response of 200', stored, run.accepted)
})

function expectGoalsOfOverload({ all, sampled }: Record<Name, Figures>, peak: number): void {
  expectAtMost('accepted p99, ms', all.accepted.p99, GOALS.acceptedMs)
  // The generator of the crowd measures longer times, because it has more to do.
  expectAtMost('refused p99, ms', sampled.refused.p99, GOALS.refusedMs)
  expectAtMost('refusals without Retry-After', all.lackingRetryAfter, 0)
  expectAtMost('statuses other than 200, 429 and 503', Object.keys(all.others).length, 0)
  expectAtLeast('accepted a second', all.goodput + sampled.goodput, GOALS.ofPeak * peak)
  // With a larger delay, these figures are invalid.
  expectAtMost('delay of the generator, ms', all.lateP99, LATE_MS)
}
