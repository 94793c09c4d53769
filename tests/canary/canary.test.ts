import { expect, test } from 'vitest'
import { runCanary } from './run.ts'

/**
 * The short form of `npm run canary`: each path once. All processes that handle cards and passwords are killed at once under load.
 */
const seed = Number(process.env['CANARY_SEED'] ?? 1)

test('no card number, cvv, password or access key is in a store, queue, log, trace or dump', async () => {
  const report = await runCanary({
    orders: 12,
    seed,
    kills: [['gateway', 'accounts', 'orders', 'payments', 'processor']],
    print: (line) => process.stderr.write(`${line}\n`),
  })
  expect(report).toEqual({ leaks: [], blind: [], astray: [], dumps: [] })
}, 300_000)
