import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { Generator } from './generator.ts'
import type { Source } from './load.ts'
import { figuresOf, type Figures } from './measure.ts'
import { anApplication, orderBytes, ordersIn } from './orders.ts'

/*
 * `npm run overload -- --seconds 120`: one application sends ten times as many orders as the platform can take, another
 * one five a second. Are those that are accepted as quick and as many as before, the rest refused at once, and the
 * quiet application left in peace? The peak is measured in the same run, so that the ratios hold on any machine; the
 * generator shares its cores, though, and 3,000 requests a second cost it a tenth of one.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    replicas: { type: 'string', default: '1' },
    times: { type: 'string', default: '10' },
  },
})
const SECONDS = Number(values.seconds)
const TIMES = Number(values.times)
/** How long a peak is tried at each rate. */
const STEP_S = 8
const RATES = [50, 75, 100, 150, 200, 300, 400, 600, 800]
const QUIET = 5
/** Reliability goals: accepted within a second, refused within 50 ms, nine tenths of the peak, normal again after 10 s. */
const GOALS = { acceptedMs: 1_000, refusedMs: 50, ofPeak: 0.9, backAfterS: 10 }

const say = (line: string) => process.stdout.write(`${line}\n`)

const stack = await startStack({
  runDirectory: new URL('../../.run/overload', import.meta.url).pathname,
  fresh: true,
  replicas: Number(values.replicas),
  // The limits of an access key and of an address would hold off the noisy one before anybody is overloaded.
  env: { gateway: { RATE_LIMIT_REQUESTS: '1000000', CONNECTIONS_PER_ADDRESS: '10000' } },
})
const generator = new Generator(stack.gateway)
const bytes = {
  noisy: await orderBytes(stack, await anApplication(stack, 'noisy')),
  quiet: await orderBytes(stack, await anApplication(stack, 'quiet')),
}
const sent = { accepted: 0 }

async function phase(
  name: string,
  seconds: number,
  rates: { noisy?: number; quiet?: number },
): Promise<{ noisy: Figures; quiet: Figures }> {
  const sources: Source[] = (['noisy', 'quiet'] as const).flatMap((who) =>
    rates[who] === undefined ? [] : [{ name: who, rate: rates[who], bytes: [bytes[who]] }],
  )
  const outcomes = await generator.run(seconds, sources)
  const figures = Object.fromEntries(
    Object.entries(outcomes).map(([source, outcome]) => [source, figuresOf(outcome, seconds)]),
  )
  say(`--- ${name}`)
  for (const [source, one] of Object.entries(figures)) {
    sent.accepted += one.accepted.count
    say(`${source}: ${JSON.stringify(one)}`)
  }
  return figures as { noisy: Figures; quiet: Figures }
}

/** The most orders a second that are answered within a second each. */
async function findPeak(): Promise<number> {
  let peak = 0
  for (const rate of RATES) {
    const { noisy } = await phase(`${rate} a second`, STEP_S, { noisy: rate })
    if (noisy.accepted.p99 <= GOALS.acceptedMs) peak = Math.max(peak, noisy.goodput)
    if (noisy.goodput < rate * 0.8) break
    await wait(1_000)
  }
  return peak
}

const goals: [met: boolean, goal: string][] = []
try {
  await phase('warming up', 5, { noisy: 50 })
  const peak = await findPeak()
  if (peak === 0)
    throw new Error('nothing is answered in time at any rate: too much else runs on this machine')
  say(`peak: ${peak} orders a second`)
  const before = await phase('quiet alone', 10, { quiet: QUIET })
  const during = await phase(`${TIMES} times the peak for ${SECONDS} s`, SECONDS, {
    noisy: peak * TIMES,
    quiet: QUIET,
  })
  await phase('the ten seconds after', GOALS.backAfterS, { quiet: QUIET })
  const after = await phase('after that', 10, { quiet: QUIET })
  const stored = await ordersIn(stack)
  const { noisy, quiet } = during
  goals.push(
    [
      noisy.accepted.p99 <= GOALS.acceptedMs,
      `accepted p99 ${noisy.accepted.p99} ms, at most ${GOALS.acceptedMs}`,
    ],
    [noisy.refused.p99 <= GOALS.refusedMs, `refused p99 ${noisy.refused.p99} ms, at most ${GOALS.refusedMs}`],
    [noisy.withoutRetryAfter === 0, `${noisy.withoutRetryAfter} refusals without Retry-After`],
    [
      Object.keys(noisy.others).length === 0,
      `answers that are neither 200 nor a refusal: ${JSON.stringify(noisy.others)}`,
    ],
    [
      noisy.goodput + quiet.goodput >= GOALS.ofPeak * peak,
      `${noisy.goodput + quiet.goodput} accepted a second, at least ${GOALS.ofPeak} of ${peak}`,
    ],
    [
      quiet.accepted.count >= quiet.sent * 0.999,
      `the quiet application: ${quiet.accepted.count} of ${quiet.sent} accepted, p99 ${quiet.accepted.p99} ms`,
    ],
    [
      after.quiet.accepted.p99 <= Math.max(2 * before.quiet.accepted.p99, 50),
      `afterwards p99 ${after.quiet.accepted.p99} ms, before ${before.quiet.accepted.p99} ms`,
    ],
    [stored >= sent.accepted, `${sent.accepted} answered 200, ${stored} orders stored: none is lost`],
  )
} finally {
  generator.close()
  await stack.stop()
}
for (const [met, goal] of goals) say(`${met ? 'met   ' : 'MISSED'} ${goal}`)
process.exitCode = goals.length > 0 && goals.every(([met]) => met) ? 0 : 1
