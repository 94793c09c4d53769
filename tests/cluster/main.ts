/**
 * Kills one of three RabbitMQ nodes under load, which stays down: orders continue, and none is lost.
 *   npm run cluster -- --orders 300 --queues quorum
 * `--queues classic` shows what is lost with the node.
 */
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createProcessHost } from '../../dev/process/host.ts'
import { plainReporter } from '../../dev/progress.ts'
import { startStack } from '../../dev/stack.ts'
import { takeRunDirectory } from '../../dev/stack/run-directory.ts'
import { readBooks, settled } from '../support/books.ts'
import { sendOrders } from '../support/order-clients.ts'
import { violationsOf } from '../support/invariants.ts'
import { quantile } from '../support/statistics.ts'
import { RabbitmqCluster } from './rabbitmq-cluster.ts'

process.env['PLATTER_SERVERS'] ??= 'native'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '300' },
    clients: { type: 'string', default: '8' },
    queues: { type: 'string', default: 'quorum' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
  },
})
const orders = Number(values.orders)
const seed = Number(values.seed)
const print = (line: string) => process.stdout.write(`${line}\n`)
const reporter = plainReporter(print)
const root = (path: string) => fileURLToPath(new URL(`../../.run/${path}`, import.meta.url))

await using cleanup = new AsyncDisposableStack()
const directory = root('cluster-rabbitmq')
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

const ofBus = { BUS_QUEUES: values.queues }
const stack = await startStack({
  runDirectory: root('cluster'),
  reporter,
  replicas: 2,
  fresh: true,
  between: async (found) => ({ ...found, rabbitmq: { ...found.rabbitmq, urls: cluster.urls } }),
  env: {
    gateway: { RATE_LIMIT_REQUESTS: '1000000' },
    catalog: ofBus,
    accounts: ofBus,
    payments: ofBus,
    orders: { ...ofBus, SIMULATOR_STEP_MS: '500', TRANSMIT_DEADLINE_MS: '120000' },
  },
})
cleanup.defer(() => stack.stop())

const before = await cluster.leaders()
print(`queues led: ${before.map(({ node, queues }) => `${node} ${queues}`).join(', ')}`)
const [busiest] = before
if (!busiest) throw new Error('there are no queues')

/** The times of the final responses, and of the kill; ms. */
const responses: number[] = []
let killedAt = Infinity
const entries = await sendOrders(stack.file, {
  atOnce: Number(values.clients),
  seed,
  enough: (sent) => sent >= orders,
  progress: (done) => {
    responses.push(performance.now())
    if (done !== Math.floor(orders / 3)) return
    cluster.kill(busiest.node)
    killedAt = performance.now()
    print(`killed ${busiest.node} after ${done} orders`)
  },
})
const settledMs = await settled(stack)
const violations = violationsOf(entries, await readBooks(stack.file))

const gaps = responses.map((at, index) => at - (responses[index - 1] ?? at))
const gapsBefore = gaps.filter((_, index) => (responses[index] ?? 0) < killedAt)
const gapsAfter = gaps.filter((_, index) => (responses[index] ?? 0) >= killedAt)
const times = entries.map(({ ms }) => Math.round(ms))
print(
  `longest time without a response: ${longest(gapsBefore)} ms before, ${longest(gapsAfter)} ms after the kill`,
)
print(`final response after p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms`)
print(settledMs === null ? 'NOT settled' : `settled ${Math.round(settledMs)} ms after the last response`)
print(`queues led: ${(await cluster.leaders()).map(({ node, queues }) => `${node} ${queues}`).join(', ')}`)
for (const { rule, what } of violations.slice(0, 10)) print(`VIOLATED ${rule}: ${what}`)
print(
  violations.length === 0
    ? `${entries.length} orders: 0 lost, 0 double, 0 wrong, 0 stuck`
    : `${violations.length} violations`,
)
process.exitCode = violations.length === 0 && settledMs !== null ? 0 : 1

function longest(lengths: readonly number[]): number {
  return Math.round(Math.max(0, ...lengths))
}
