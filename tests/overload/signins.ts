import { parseArgs } from 'node:util'
import { figuresOf } from '../support/load/figures.ts'
import { requestBytes } from '../support/load/generator.ts'
import { goalsBeside, inTurns } from './beside.ts'
import { NO_CANCELLATIONS, print, Tool } from './tool.ts'

/*
 * `npm run signins -- --rounds 4 --seconds 15 --rate 200`: the test sends more sign-ins than the platform can process, each with a
 * wrong password. They must not slow orders down.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '200' },
  },
})
const seconds = Number(values.seconds)
/** Orders a second. */
const ORDERS = 10
/** Orders may take a fifth longer, plus 2 ms for the machine. */
const GOAL = { times: 1.2, plusMs: 2, quantile: 'p50' } as const

const env = {
  gateway: { RATE_LIMIT_REQUESTS: '1000000' },
  orders: NO_CANCELLATIONS,
  accounts: { TRIES_PER_ADDRESS: '10000000', TRIES_PER_APPLICATION: '10000000' },
}

await Tool.run('signins', { env }, async (tool) => {
  const { accessKey: key } = await tool.api.newApplication('sign-ins')
  const bytes = await tool.orders(['orders'])
  // Few sign-ins for each e-mail address: its rate limit would reject more.
  const signins = Array.from({ length: 10_000 }, () => {
    const body = { email: `${crypto.randomUUID()}@example.org`, password: 'not the password' }
    return requestBytes({ method: 'POST', path: '/publicapi/v1/signin', key }, body)
  })
  const calm = (perSecond: number) => ({
    connections: 20,
    sources: [{ name: 'orders', load: { perSecond, seconds }, bytes }],
  })
  const crowd = {
    connections: 200,
    sources: [{ name: 'signins', load: { perSecond: Number(values.rate), seconds }, bytes: signins }],
  }
  const nothing = { connections: 0, sources: [] }
  await tool.send(nothing, calm(50))
  const beside = await inTurns(Number(values.rounds), async (round, isDisturbed) => {
    const [outcomes, shares] = await tool.send(isDisturbed ? crowd : nothing, calm(ORDERS))
    const all = Object.entries(outcomes).map(
      ([name, outcome]) => `${name}: ${JSON.stringify(figuresOf([outcome], seconds))}`,
    )
    print([`${round} ${isDisturbed ? 'beside sign-ins' : 'alone'}`, ...all, shares].join('\n  '))
    return outcomes['orders']!
  })
  return goalsBeside(beside, GOAL)
})
