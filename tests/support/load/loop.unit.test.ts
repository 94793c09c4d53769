import { afterEach, expect, test, vi } from 'vitest'
import { tookOf } from './figures.ts'
import { runLoad } from './loop.ts'

afterEach(() => void vi.useRealTimers())

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
  // The first request took 60 ms, and five others were due at 10 to 50 ms. Each could start only at 60 ms, 10 ms late or more.
  expect(tookOf(outcome, 200).filter((ms) => ms >= 9).length).toBeGreaterThanOrEqual(6)
})

test('a closed loop counts each rejection as status 0, and keeps the first message', async () => {
  const outcome = await runLoad({ clients: 2, count: 10 }, async (n) => {
    if (n % 2 === 1) throw new Error(`no ${n}`)
    return { status: 200 }
  })
  expect(outcome).toMatchObject({ sent: 10, failure: 'no 1' })
  expect([0, 200].map((status) => tookOf(outcome, status).length)).toEqual([5, 5])
})

test('a closed loop ends 15 s after its last request, and counts the requests without a response as lost', async () => {
  vi.useFakeTimers()
  const running = runLoad({ clients: 2, count: 100 }, (n) =>
    n < 3 ? Promise.resolve({ status: 200 }) : new Promise<never>(() => undefined),
  )
  await vi.advanceTimersByTimeAsync(15_000)
  const outcome = await running
  expect(outcome).toMatchObject({ sent: 5, seconds: 15, failure: 'no response within 15000 ms' })
  expect(tookOf(outcome, 0)).toEqual([15_000, 15_000])
  expect(tookOf(outcome, 200)).toHaveLength(3)
})

test('a closed loop does not give up a slow request while other clients send', async () => {
  vi.useFakeTimers()
  const running = runLoad({ clients: 2, count: 6 }, async (n) => {
    await new Promise((resolve) => setTimeout(resolve, n === 0 ? 30_000 : 10_000))
    return { status: 200 }
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(tookOf(await running, 200)).toHaveLength(6)
})
