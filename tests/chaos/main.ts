import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { LossyRabbitmq } from './lossy-rabbitmq.ts'
import { randomOf } from '../support/random.ts'
import { quantile } from '../support/statistics.ts'
import { runChaos, startStackForChaos } from './run.ts'

// Faults are signals to the processes of the servers, and removed files.
process.env['PLATTER_SERVERS'] ??= 'native'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    /**
     * The share of messages, 0 to 1, that never reach RabbitMQ. No other fault is injected then, so that responses arrive in time.
     */
    drop: { type: 'string', default: '0' },
  },
})
/** The longest time to a response that clients may expect, in milliseconds (requestTimes). */
const RESPONSE_WITHIN_MS = 10_000
const print = (line: string) => process.stdout.write(`${line}\n`)
const seed = Number(values.seed)
const lossy = Number(values.drop) > 0 ? new LossyRabbitmq(Number(values.drop), randomOf(seed)) : null
const stack = await startStackForChaos(print, lossy ? { between: (servers) => lossy.between(servers) } : {})
try {
  const { violations, entries } = await runChaos(stack, {
    orders: Number(values.orders),
    atOnce: 16,
    seed,
    pauseMs: lossy ? null : [300, 1_500],
    print,
  })
  const times = entries.map(({ ms }) => ms)
  const isLate = lossy !== null && quantile(times, 0.99) > RESPONSE_WITHIN_MS
  if (lossy) print(`${lossy.dropped} of ${lossy.published} messages dropped`)
  if (isLate) print(`LATE: p99 is above ${RESPONSE_WITHIN_MS} ms`)
  process.exitCode = violations.length === 0 && !isLate ? 0 : 1
} finally {
  await stack.stop()
  await lossy?.close()
}
