import { test } from 'vitest'
import { figuresOf } from '../support/load/figures.ts'
import { requestOf } from '../support/load/generator.ts'
import { print } from '../support/stack.ts'
import { expectUndisturbed, NO_CANCELLATIONS, NO_SOURCES, startTool } from './tool.ts'

/* `ROUNDS=4 SECONDS=15 RATE=200 npm run signins`. `RATE`: sign-ins a second, each with a wrong password. */

const { ROUNDS = '4', SECONDS = '15', RATE = '200' } = process.env
const seconds = Number(SECONDS)
/** Orders a second. */
const ORDERS = 10
/** Orders may take a fifth longer, plus 2 ms for the machine. */
const GOAL = { times: 1.2, plusMs: 2, quantile: 'p50' } as const

const env = {
  gateway: { RATE_LIMIT_REQUESTS: '1000000' },
  orders: NO_CANCELLATIONS,
  accounts: { TRIES_PER_ADDRESS: '10000000', TRIES_PER_APPLICATION: '10000000' },
}

test('more sign-ins than the platform can process do not slow orders down', async () => {
  await using tool = await startTool('signins', env)
  const { accessKey: key } = await tool.api.newApplication('sign-ins')
  const requests = await tool.orders(['orders'])
  // Few sign-ins for each e-mail address: its rate limit would reject more.
  const signins = Array.from({ length: 10_000 }, () => {
    const body = { email: `${crypto.randomUUID()}@example.org`, password: 'not the password' }
    return requestOf({ method: 'POST', path: '/publicapi/v1/signin', key }, body)
  })
  const calm = (perSecond: number) => ({
    connections: 20,
    sources: [{ name: 'orders', load: { perSecond, seconds }, requests }],
  })
  const crowd = {
    connections: 200,
    sources: [{ name: 'signins', load: { perSecond: Number(RATE), seconds }, requests: signins }],
  }
  await tool.send(NO_SOURCES, calm(50))
  await expectUndisturbed(Number(ROUNDS), GOAL, async (round, isDisturbed) => {
    const [outcomes, shares] = await tool.send(isDisturbed ? crowd : NO_SOURCES, calm(ORDERS))
    const all = Object.entries(outcomes).map(
      ([name, outcome]) => `${name}: ${JSON.stringify(figuresOf([outcome], seconds))}`,
    )
    print([`${round} ${isDisturbed ? 'beside sign-ins' : 'alone'}`, ...all, shares].join('\n  '))
    return outcomes['orders']!
  })
})
