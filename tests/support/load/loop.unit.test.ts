import { expect, test } from 'vitest'
import { quantile } from '../statistics.ts'
import { tookOf } from './figures.ts'
import { runLoad } from './loop.ts'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('an open loop counts a latency from the time at which the request was due, not from its start', async () => {
  const outcome = await runLoad({ perSecond: 100, seconds: 0.1 }, async (n) => {
    if (n === 0) block(60)
    return { status: 200 }
  })
  expect(outcome.sent).toBe(10)
  // The fifth request was due 40 ms after the first, and could not start before 60 ms; four waited longer.
  expect(quantile(tookOf(outcome, 200), 0.5)).toBeGreaterThanOrEqual(19)
})

test('a closed loop counts each rejection as status 0, and keeps the first message', async () => {
  const outcome = await runLoad({ clients: 2, count: 10 }, async (n) => {
    if (n % 2 === 1) throw new Error(`no ${n}`)
    return { status: 200 }
  })
  expect(outcome).toMatchObject({ sent: 10, failure: 'no 1' })
  expect([0, 200].map((status) => tookOf(outcome, status).length)).toEqual([5, 5])
})
