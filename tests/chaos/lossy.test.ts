import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { randomOf } from '../support/random.ts'
import { print } from '../support/stack.ts'
import { LossyRabbitmq } from './lossy-rabbitmq.ts'
import { runChaos, startStackForChaos } from './run.ts'

/* `npm run lossy`. CHAOS_DROP is the share of messages that never reach RabbitMQ; CHAOS_SEED repeats the losses of a seed. */
const { CHAOS_ORDERS = '1000', CHAOS_SEED = String(randomInt(1_000_000)), CHAOS_DROP = '0.1' } = process.env
/** The longest time to a response that clients may expect (docs/interface.md, "Order outcomes"). */
const RESPONSE_WITHIN_MS = 10_000

test(
  'messages never reach RabbitMQ: no order is lost, doubled, wrong or stuck, and the p99 of the responses is in time',
  { timeout: 300_000 + Number(CHAOS_ORDERS) * 2_000 },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const seed = Number(CHAOS_SEED)
    const lossy = new LossyRabbitmq(Number(CHAOS_DROP), randomOf(seed))
    cleanup.defer(() => lossy.close())
    const stack = await startStackForChaos({ between: (servers) => lossy.between(servers) })
    cleanup.defer(() => stack.stop())
    // The lost messages are the only fault, so that responses can arrive in time.
    const report = await runChaos(stack, { orders: Number(CHAOS_ORDERS), atOnce: 16, seed, pauseMs: null })
    print(`${lossy.dropped} of ${lossy.published} messages dropped`)
    expect(report.violations).toEqual([])
    expect(report.settledMs).not.toBeNull()
    expect(lossy.dropped).toBeGreaterThan(0)
    expect(report.p99Ms).toBeLessThan(RESPONSE_WITHIN_MS)
  },
)
