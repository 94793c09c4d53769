import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { Config } from '../../services/gateway/src/config.ts'
import { cpuShares } from './cpu.ts'
import { Generator } from './generator.ts'
import { judge, say, type Goal } from './goals.ts'
import type { Outcomes, Source } from './load.ts'
import { figuresOf, secondBySecond, type Figures } from './measure.ts'
import { anApplication, NO_CANCELLATIONS, orderBytes, ordersIn, useConsole } from './orders.ts'
import { putGatewayFirst } from './precedence.ts'

/*
 * `npm run overload -- --seconds 120`: 30 applications together send ten times as many orders as the platform can take. Are
 * those that are accepted as quick and as many as before, and the rest refused at once? Then one alone sends ten times what it
 * may, and after that as many as all did: is a quiet one beside it, with five a second, left in peace? The peak is measured in the same run, so that the ratios hold
 * on any machine; the generators share its cores, though, and 3,000 requests a second cost them an eighth of one. The
 * gateway goes before the other processes, as under Compose. `--peak 300` takes a peak as known, and saves the minute
 * of finding it.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    replicas: { type: 'string', default: '1' },
    times: { type: 'string', default: '10' },
    peak: { type: 'string' },
  },
})
const SECONDS = Number(values.seconds)
const TIMES = Number(values.times)
/** How long a peak is tried at each rate. */
const STEP_S = 8
const RATES = [50, 75, 100, 150, 200, 300, 400, 600, 800]
/** Orders a second that an application may send, in production's setting. */
const OF_ONE = Config.shape.ORDERS_PER_SECOND.parse(undefined)
/** So many that what they may send is more than any machine of two cores takes. */
const APPLICATIONS = 30
const QUIET = 5
/** 150 of its orders: of fewer, the p99 is the worst one. */
const QUIET_S = 30
const NOISY_S = 60
/** Refusals a second that are timed by a process with little to do. */
const SAMPLED = 20
/**
 * Reliability goals: accepted within a second, refused within 50 ms, nine tenths of the peak, normal again after 10 s; and
 * beside a noisy application a quiet one's median a fifth longer at most, some milliseconds being the machine's.
 */
const GOALS = { acceptedMs: 1_000, refusedMs: 50, ofPeak: 0.9, backAfterS: 10, besideNoisy: 1.2, plusMs: 5 }
/** A generator that sends later than that measures itself. */
const LATE_MS = 50

const stack = await startStack({
  runDirectory: new URL('../../.run/overload', import.meta.url).pathname,
  fresh: true,
  replicas: Number(values.replicas),
  env: { gateway: { ORDERS_PER_SECOND: String(OF_ONE) }, orders: NO_CANCELLATIONS },
})
await useConsole(stack)
await putGatewayFirst(stack)
/** The noisy one's crowd has a process of its own; another one with little to do times what anybody else would see. */
const crowd = new Generator(stack.gateway, 700)
const calm = new Generator(stack.gateway, 100)
const ordersOf = async (name: string) => orderBytes(stack, await anApplication(stack, name))
const all = await Array.fromAsync({ length: APPLICATIONS }, (_, at) => ordersOf(`application ${at}`))
const bytes = { all, sampled: all, noisy: [await ordersOf('noisy')], quiet: [await ordersOf('quiet')] }
const sent = { accepted: 0 }

/** Orders a second. `sampled` are `all`'s too, and are sent from the process with little to do, as the quiet one's are. */
type Rates = { all?: number; sampled?: number; noisy?: number; quiet?: number }
type Who = keyof Rates

async function phase(name: string, seconds: number, rates: Rates): Promise<Record<Who, Figures>> {
  const source = (who: Who): Source[] =>
    rates[who] === undefined ? [] : [{ name: who, rate: rates[who], bytes: bytes[who] }]
  const [loud, others] = await Promise.all([
    crowd.run(seconds, [...source('all'), ...source('noisy')]),
    calm.run(seconds, [...source('sampled'), ...source('quiet')]),
  ])
  const outcomes: Outcomes = { ...loud, ...others }
  say(`--- ${name}`)
  const figures = Object.entries(outcomes).map(([who, outcome]) => {
    const one = figuresOf(outcome, seconds)
    sent.accepted += one.accepted.count
    say(`${who}: ${JSON.stringify(one)}`)
    if (rates.sampled !== undefined)
      say(`${who}, p99 by second, accepted/refused: ${secondBySecond(outcome)}`)
    return [who, one]
  })
  return Object.fromEntries(figures) as Record<Who, Figures>
}

/** And says what each process has used of a core meanwhile. */
async function phaseWithShares(...of: Parameters<typeof phase>): Promise<Record<Who, Figures>> {
  const [figures, shares] = await cpuShares(stack, [crowd.pid, calm.pid], () => phase(...of))
  say(shares)
  return figures
}

/** The most orders a second that are answered within a second each. */
async function findPeak(): Promise<number> {
  let peak = 0
  for (const rate of RATES) {
    const { all: those } = await phase(`${rate} a second`, STEP_S, { all: rate })
    if (those.accepted.p99 <= GOALS.acceptedMs) peak = Math.max(peak, those.goodput)
    if (those.goodput < rate * 0.8) break
    await wait(1_000)
  }
  return peak
}

const said = ({ accepted }: Figures) => `p50 ${accepted.p50} ms, p99 ${accepted.p99} ms`
const asSaid = ({ quiet, noisy }: Record<'quiet' | 'noisy', Figures>) =>
  `the quiet one ${said(quiet)}, and of the noisy one ${noisy.goodput} orders a second are accepted`

const goals: Goal[] = []
try {
  // A peak of code that is not compiled yet would be easy to come up to.
  await phase('warming up', 30, { all: 100 })
  const peak = values.peak === undefined ? await findPeak() : Number(values.peak)
  if (peak === 0)
    throw new Error('nothing is answered in time at any rate: too much else runs on this machine')
  say(`peak: ${peak} orders a second`)
  // By now PostgreSQL has as many connections as it will have.
  await putGatewayFirst(stack)
  const before = await phase('quiet alone', QUIET_S, { quiet: QUIET })
  const during = await phaseWithShares(`${TIMES} times the peak for ${SECONDS} s`, SECONDS, {
    all: peak * TIMES,
    sampled: SAMPLED,
  })
  await phase('the ten seconds after', GOALS.backAfterS, { quiet: QUIET })
  const after = await phase('after that', QUIET_S, { quiet: QUIET })
  const besideNoisy = (rate: number) =>
    phaseWithShares(`one application alone, ${rate} a second for ${NOISY_S} s`, NOISY_S, {
      noisy: rate,
      quiet: QUIET,
    })
  const noisy = await besideNoisy(OF_ONE * TIMES)
  const flood = await besideNoisy(peak * TIMES)
  const stored = await ordersIn(stack)
  const goodput = during.all.goodput + during.sampled.goodput
  goals.push(
    [
      during.all.accepted.p99 <= GOALS.acceptedMs,
      `accepted p99 ${during.all.accepted.p99} ms, at most ${GOALS.acceptedMs}`,
    ],
    [
      during.sampled.refused.p99 <= GOALS.refusedMs,
      `refused p99 ${during.sampled.refused.p99} ms, at most ${GOALS.refusedMs} (as the crowd's own process saw it ${during.all.refused.p99} ms)`,
    ],
    [during.all.withoutRetryAfter === 0, `${during.all.withoutRetryAfter} refusals without Retry-After`],
    [
      Object.keys(during.all.others).length === 0,
      `answers that are neither 200 nor a refusal: ${JSON.stringify(during.all.others)}`,
    ],
    [goodput >= GOALS.ofPeak * peak, `${goodput} accepted a second, at least ${GOALS.ofPeak} of ${peak}`],
    [
      after.quiet.accepted.p99 <= Math.max(2 * before.quiet.accepted.p99, 50),
      `afterwards p99 ${after.quiet.accepted.p99} ms, before ${before.quiet.accepted.p99} ms`,
    ],
    [
      during.all.lateP99 <= LATE_MS,
      `the generator sent ${during.all.lateP99} ms late, at most ${LATE_MS}: else nothing here is to be believed`,
    ],
    [
      noisy.quiet.accepted.p50 <= before.quiet.accepted.p50 * GOALS.besideNoisy + GOALS.plusMs,
      `beside one application with ${TIMES} times what it may: ${asSaid(noisy)}; alone ${said(before.quiet)}`,
    ],
    [
      flood.quiet.accepted.p99 <= GOALS.acceptedMs,
      `beside one application with ${TIMES} times the peak: ${asSaid(flood)}`,
    ],
    [
      [noisy, flood].every(({ quiet }) => quiet.accepted.count >= quiet.sent * 0.99),
      `of the quiet application's orders beside them ${noisy.quiet.accepted.count} of ${noisy.quiet.sent} and ${flood.quiet.accepted.count} of ${flood.quiet.sent} accepted, none refused`,
    ],
    [stored >= sent.accepted, `${sent.accepted} answered 200, ${stored} orders stored: none is lost`],
  )
} finally {
  crowd.close()
  calm.close()
  await stack.stop()
}
judge(goals)
