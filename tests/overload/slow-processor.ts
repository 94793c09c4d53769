import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { setFaults } from '../chaos/processor-faults.ts'
import { cpuShares } from './cpu.ts'
import { Generator } from './generator.ts'
import { judge, say, type Goal } from './goals.ts'
import { figuresOf } from './measure.ts'
import { anApplication, NO_CANCELLATIONS, orderBytes, useConsole } from './orders.ts'

/*
 * `npm run slow-processor -- --processor-ms 1000 --seconds 15`: card orders of new cards at rising rates, with one replica of each
 * service, first with the processor as it is and then with one that takes so long for each call. An order waits for two of them,
 * for the token and for the authorization. The peak is the most that is answered in that time and a second, and it
 * should not fall: who waits for the processor takes no CPU.
 */

const { values } = parseArgs({
  options: {
    'processor-ms': { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '15' },
    rates: { type: 'string', default: '25,50,75,100,150,200,300' },
  },
})
const PROCESSOR_MS = Number(values['processor-ms'])
const SECONDS = Number(values.seconds)
const RATES = values.rates.split(',').map(Number)
const CALLS = 2
const OWN_MS = 1_000
/** So many that what they may send is more than any machine of two cores takes. */
const APPLICATIONS = 12
/** Orders a second; or as many as without the delay. */
const GOAL = { perSecond: 150, ofQuick: 0.9 }

const stack = await startStack({
  runDirectory: new URL('../../.run/slow-processor', import.meta.url).pathname,
  fresh: true,
  env: { gateway: { RATE_LIMIT_REQUESTS: '1000000' }, orders: NO_CANCELLATIONS },
})
await useConsole(stack)
const crowd = new Generator(stack.gateway, 1_500)
const bytes = await Array.fromAsync({ length: APPLICATIONS }, async (_, at) =>
  orderBytes(stack, await anApplication(stack, `application ${at}`), 'card'),
)

async function send(rate: number, seconds = SECONDS) {
  const run = () => crowd.run(seconds, [{ name: 'cards', rate, bytes }])
  const [{ cards }, shares] = await cpuShares(stack, [crowd.pid], run)
  if (!cards) throw new Error('nothing was measured')
  return { figures: figuresOf(cards, seconds), shares }
}

/** The most orders a second that are answered in time. */
async function findPeak(processorMs: number): Promise<number> {
  await setFaults(stack.file, [{ fault: 'slow', probability: 1, ms: processorMs }])
  let peak = 0
  for (const rate of RATES) {
    // The gateway finds out how many orders may be under way.
    await send(rate, SECONDS / 2)
    const { figures, shares } = await send(rate)
    say(`processor ${processorMs} ms, ${rate} a second: ${JSON.stringify(figures)}\n  ${shares}`)
    if (figures.accepted.p99 <= CALLS * processorMs + OWN_MS) peak = Math.max(peak, figures.goodput)
    if (figures.goodput < rate * 0.8) break
    await wait(1_000)
  }
  return peak
}

const goals: Goal[] = []
try {
  await send(50, 20)
  const quick = await findPeak(0)
  const slow = await findPeak(PROCESSOR_MS)
  if (quick === 0)
    throw new Error('nothing is answered in time at any rate: too much else runs on this machine')
  const least = Math.min(GOAL.perSecond, quick * GOAL.ofQuick)
  goals.push([
    slow >= least,
    `${slow} card orders a second with a processor that takes ${PROCESSOR_MS} ms, ${quick} with one that takes none; at least ${least}`,
  ])
} finally {
  crowd.close()
  await stack.stop()
}
judge(goals)
