import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findServers } from '../../dev/servers/find.ts'
import type { Stack } from '../../dev/stack.ts'
import { runChaos, startStackForChaos } from '../chaos/run.ts'
import { print } from '../support/stack.ts'
import { startCluster, type RabbitmqCluster } from './rabbitmq-cluster.ts'

/* `BUS_QUEUES=classic npm run cluster` shows the losses with classic queues. */
const { CLUSTER_ORDERS = '300', BUS_QUEUES = 'quorum' } = process.env
const ORDERS = Number(CLUSTER_ORDERS)

let cluster: RabbitmqCluster
let stack: Stack

beforeAll(async () => {
  stack = await startStackForChaos({
    find: async (context) => {
      const servers = await findServers(context, ['postgres', 'redis'])
      cluster = await startCluster(context)
      return { ...servers, rabbitmq: cluster.server }
    },
    bus: { BUS_QUEUES },
  })
}, 300_000)

afterAll(() => stack.stop(), 60_000)

test(
  'one of three RabbitMQ nodes is killed under load and stays stopped: orders continue, and none is lost',
  { timeout: 300_000 + ORDERS * 2_000 },
  async () => {
    /** The times of the final responses, and of the kill; ms. */
    const responses: number[] = []
    let killedAt = Infinity
    const { violations } = await runChaos(stack, {
      orders: ORDERS,
      concurrency: 8,
      seed: randomInt(1_000_000),
      // The kill of the node is the only fault.
      pauseMs: null,
      onResponse: () => {
        responses.push(performance.now())
        if (responses.length !== Math.floor(ORDERS / 3)) return
        cluster.kill()
        killedAt = performance.now()
        print(`killed a node after ${responses.length} orders`)
      },
    })
    const gaps = responses.map((at, index) => ({ at, ms: at - (responses[index - 1] ?? at) }))
    const longest = (of: typeof gaps) => Math.round(Math.max(0, ...of.map(({ ms }) => ms)))
    const [before, after] = [gaps.filter(({ at }) => at < killedAt), gaps.filter(({ at }) => at >= killedAt)]
    print(
      `longest time without a response: ${longest(before)} ms before, ${longest(after)} ms after the kill`,
    )
    expect(killedAt).toBeLessThan(Infinity)
    expect(violations).toEqual([])
  },
)
