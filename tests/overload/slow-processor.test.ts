import { test } from 'vitest'
import { setProcessorFaults } from '../support/faults.ts'
import { figuresOf } from '../support/load/figures.ts'
import { print } from '../support/stack.ts'
import { expectAtLeast, findPeak, manyNames, NO_CANCELLATIONS, startTool } from './tool.ts'

/*
 * `PROCESSOR_MS=1000 SECONDS=15 RATES=25,50,100 npm run slow-processor`: card orders of new cards at rising rates. The first part has an
 * undelayed processor, the second part a delay of each call. An order waits for two calls, the token and the authorization. The
 * peak is the highest rate at which responses take at most that time and one second. The delay must not lower the peak: an order
 * that waits for the processor uses no CPU.
 */

const { PROCESSOR_MS = '1000', SECONDS = '15', RATES = '25,50,75,100,150,200,300' } = process.env
const delayMs = Number(PROCESSOR_MS)
const measuredS = Number(SECONDS)
const CALLS = 2
const OWN_MS = 1_000
/** The quotas of these applications together exceed the capacity of any machine with two cores. */
const APPLICATIONS = 12
/** 300 orders a second take 660 of them, at 2.2 s each. The gateway allows an address 1,000. */
const CONNECTIONS = 900
/** The goal in orders a second, or nine tenths of the peak without the delay. */
const GOAL = { perSecond: 150, ofUndelayed: 0.9 }

const env = { gateway: { RATE_LIMIT_REQUESTS: '1000000' }, orders: NO_CANCELLATIONS }

test('a slow processor does not lower the peak of card orders', async () => {
  await using tool = await startTool('slow-processor', env)
  const requests = await tool.orders(manyNames(APPLICATIONS), 'card')
  const send = async (perSecond: number, seconds: number) => {
    const sources = [{ name: 'cards', load: { perSecond, seconds }, requests }]
    const [outcomes, shares] = await tool.send({ connections: CONNECTIONS, sources })
    return { figures: figuresOf([outcomes['cards']!], seconds), shares }
  }

  const peakWith = async (processorMs: number): Promise<number> => {
    await setProcessorFaults(tool.stack.file, [{ fault: 'slow', probability: 1, ms: processorMs }])
    return findPeak(RATES.split(',').map(Number), CALLS * processorMs + OWN_MS, async (rate) => {
      // The gateway raises its concurrency limit by 50 a second.
      await send(rate, measuredS / 2)
      const { figures, shares } = await send(rate, measuredS)
      print(`processor ${processorMs} ms, ${rate} a second: ${JSON.stringify(figures)}\n  ${shares}`)
      return figures
    })
  }

  await send(50, 20)
  const undelayed = await peakWith(0)
  const delayed = await peakWith(delayMs)
  print(`${undelayed} card orders a second without a delay`)
  expectAtLeast(
    `card orders a second with a delay of ${delayMs} ms`,
    delayed,
    Math.min(GOAL.perSecond, undelayed * GOAL.ofUndelayed),
  )
})
