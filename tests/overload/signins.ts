import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { cpuShares } from './cpu.ts'
import { Generator } from './generator.ts'
import { judge, say, type Goal } from './goals.ts'
import type { Outcome, Source } from './load.ts'
import { asOne, figuresOf } from './measure.ts'
import { anApplication, orderBytes, postBytes } from './orders.ts'

/*
 * `npm run signins -- --rounds 4 --seconds 15 --rate 200`: more people sign in than there is room for, each with a
 * wrong password. Do orders notice? They are timed with and without in turn, so that whatever else the machine does is
 * in both, and by a process of their own: the crowd's generator shares the cores, though.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '200' },
  },
})
const ROUNDS = Number(values.rounds)
const SECONDS = Number(values.seconds)
const ORDERS = 10
/** Orders may take a fifth longer; some milliseconds more are the machine's. */
const GOAL = { times: 1.2, plusMs: 2 }

const stack = await startStack({
  runDirectory: new URL('../../.run/signins', import.meta.url).pathname,
  fresh: true,
  env: {
    gateway: { RATE_LIMIT_REQUESTS: '1000000' },
    simulators: { STEP_MS: '3600000' },
    accounts: { TRIES_PER_ADDRESS: '10000000', TRIES_PER_APPLICATION: '10000000' },
  },
})
const calm = new Generator(stack.gateway, 20)
const crowd = new Generator(stack.gateway, 200)
const key = await anApplication(stack, 'sign-ins')
const order = await orderBytes(stack, key)
/** Each e-mail a few times only, or it would be held off. */
const signins = Array.from({ length: 10_000 }, () =>
  postBytes('/publicapi/v1/signin', key, {
    email: `${crypto.randomUUID()}@example.org`,
    password: 'not the password',
  }),
)

async function measure(name: string, into: Outcome[], crowdRate: number): Promise<void> {
  const loud: Source[] = crowdRate === 0 ? [] : [{ name: 'signins', rate: crowdRate, bytes: signins }]
  const [[{ orders }, answers], cpu] = await cpuShares(stack, [calm.pid, crowd.pid], () =>
    Promise.all([
      calm.run(SECONDS, [{ name: 'orders', rate: ORDERS, bytes: [order] }]),
      crowd.run(SECONDS, loud),
    ]),
  )
  if (!orders) throw new Error('nothing was measured')
  into.push(orders)
  const { accepted } = figuresOf(orders, SECONDS)
  const statuses = Object.entries(answers['signins']?.answered ?? {}).map(
    ([status, { took }]) => `${took.length} × ${status}`,
  )
  say(`${name}: p50 ${accepted.p50} ms, p99 ${accepted.p99} ms; ${statuses.join(', ')}\n  ${cpu}`)
}

const goals: Goal[] = []
const [alone, beside]: [Outcome[], Outcome[]] = [[], []]
try {
  await calm.run(SECONDS, [{ name: 'warm', rate: 50, bytes: [order] }])
  for (let round = 1; round <= ROUNDS; round++) {
    await measure(`${round} alone`, alone, 0)
    await measure(`${round} beside ${values.rate} sign-ins a second`, beside, Number(values.rate))
  }
  const [before, during] = [alone, beside].map((all) => figuresOf(asOne(all), ROUNDS * SECONDS).accepted)
  if (!before || !during) throw new Error('nothing was measured')
  goals.push([
    during.p50 <= before.p50 * GOAL.times + GOAL.plusMs,
    `an order beside sign-ins: p50 ${during.p50} ms, alone ${before.p50}; p99 ${during.p99}, alone ${before.p99}`,
  ])
} finally {
  calm.close()
  crowd.close()
  await stack.stop()
}
judge(goals)
