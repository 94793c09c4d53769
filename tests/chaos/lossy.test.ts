import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { print } from '../support/stack.ts'
import { tally } from '../support/statistics.ts'
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
    const folder = mkdtempSync(join(tmpdir(), 'platter-lossy-'))
    cleanup.defer(() => rmSync(folder, { recursive: true }))
    const log = join(folder, 'publishes')
    const stack = await startStackForChaos({
      bus: {
        NODE_OPTIONS: `--import=${new URL('drop-publishes.ts', import.meta.url).href}`,
        DROP_SHARE: CHAOS_DROP,
        DROP_SEED: CHAOS_SEED,
        DROP_LOG: log,
      },
    })
    cleanup.defer(() => stack.stop())
    // The lost messages are the only fault, so that responses can arrive in time.
    const options = { orders: Number(CHAOS_ORDERS), concurrency: 16, seed: Number(CHAOS_SEED), pauseMs: null }
    const report = await runChaos(stack, options)
    const { published = 0, dropped = 0 } = tally(readFileSync(log, 'utf8').trimEnd().split('\n'))
    print(`${dropped} of ${published + dropped} messages dropped`)
    expect(report.violations).toEqual([])
    expect(dropped).toBeGreaterThan(0)
    expect(report.p99Ms).toBeLessThan(RESPONSE_WITHIN_MS)
  },
)
