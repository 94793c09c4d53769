/**
 * Kills one of three RabbitMQ nodes under load. The node stays stopped, orders continue, and none is lost.
 *   npm run cluster -- --orders 300 --queues quorum
 * `--queues classic` shows the losses with a dead node.
 */
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createProcessHost } from '../../dev/process/host.ts'
import { plainReporter } from '../../dev/progress.ts'
import { takeRunDirectory } from '../../dev/stack/run-directory.ts'
import { runChaos, startStackForChaos } from '../chaos/run.ts'
import { RabbitmqCluster } from './rabbitmq-cluster.ts'

process.env['PLATTER_SERVERS'] ??= 'native'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '300' },
    queues: { type: 'string', default: 'quorum' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
})
const orders = Number(values.orders)
const print = (line: string) => process.stdout.write(`${line}\n`)
const reporter = plainReporter(print)
const directory = fileURLToPath(new URL('../../.run/cluster-rabbitmq', import.meta.url))

await using cleanup = new AsyncDisposableStack()
const claim = await takeRunDirectory(directory, { fresh: true, reporter })
cleanup.defer(() => claim.release())
const host = createProcessHost(directory)
cleanup.defer(async () => {
  host.close()
  await host.stopAll(10_000)
})
const cluster = await reporter.step('Three RabbitMQ nodes', () =>
  RabbitmqCluster.start({ directory, host, reporter }),
)

const stack = await startStackForChaos(print, {
  between: async (found) => ({ ...found, rabbitmq: { ...found.rabbitmq, urls: cluster.urls } }),
  bus: { BUS_QUEUES: values.queues },
})
cleanup.defer(() => stack.stop())

const printLeaders = async () => {
  const leaders = await cluster.leaders()
  print(`queues led: ${leaders.map(({ node, queues }) => `${node} ${queues}`).join(', ')}`)
  return leaders
}
const [busiest] = await printLeaders()
if (!busiest) throw new Error('there are no queues')

/** The times of the final responses, and of the kill; ms. */
const responses: number[] = []
let killedAt = Infinity
const { violations, settledMs } = await runChaos(stack, {
  orders,
  atOnce: 8,
  seed: Number(values.seed),
  // The kill of the node is the only fault.
  pauseMs: null,
  print: print,
  progress: (done) => {
    responses.push(performance.now())
    if (done !== Math.floor(orders / 3)) return
    cluster.kill(busiest.node)
    killedAt = performance.now()
    print(`killed ${busiest.node} after ${done} orders`)
  },
})

const gaps = responses.map((at, index) => ({ at, ms: at - (responses[index - 1] ?? at) }))
const longest = (of: typeof gaps) => Math.round(Math.max(0, ...of.map(({ ms }) => ms)))
const [before, after] = [gaps.filter(({ at }) => at < killedAt), gaps.filter(({ at }) => at >= killedAt)]
print(`longest time without a response: ${longest(before)} ms before, ${longest(after)} ms after the kill`)
await printLeaders()
process.exitCode = violations.length === 0 && settledMs !== null ? 0 : 1
