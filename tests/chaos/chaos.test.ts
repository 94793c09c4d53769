import { expect, test } from 'vitest'
import { runChaos } from './run.ts'

/** The short form of `npm run chaos`: about a minute. Another seed each day, printed, so that it can be played again. */
const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Date.now() / 86_400_000))

test('everything is killed, frozen and wiped under load: none lost, none doubled, none wrong, none stuck', async () => {
  const report = await runChaos({
    orders: 900,
    atOnce: 16,
    replicas: 2,
    seed,
    pauseMs: [300, 1_200],
    say: (line) => process.stderr.write(`${line}\n`),
  })
  expect(report.violations).toEqual([])
  expect(report.settledMs).not.toBeNull()
  expect(report.faults.length).toBeGreaterThan(5)
}, 300_000)
