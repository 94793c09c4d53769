import { randomUUID } from 'node:crypto'
import { createLog } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/lifecycle/redis'
import { proxyTo, servers, type Proxy } from '@platter/testkit'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { RateLimit, type Policy } from '#/store/rate-limit.ts'

const log = createLog('test', 'silent')
const soon = { timeout: 30_000, interval: 10 }

let proxy: Proxy
let admin: Redis
let open: RateLimit[] = []

beforeEach(async () => {
  proxy = await proxyTo(servers().redis)
  // A machine that stands still for 100 ms is no failure of the test's own commands.
  admin = connectRedis(servers().redis, log, { commandTimeout: undefined })
  await vi.waitFor(() => admin.ping(), soon)
})

afterEach(async () => {
  for (const limit of open) limit.close()
  open = []
  await vi.waitFor(() => admin.ping(), soon)
  admin.disconnect()
  await proxy.close()
})

/** A replica whose connection to Redis stands. */
async function replica(policy: Policy, url = proxy.url): Promise<RateLimit> {
  const limit = new RateLimit(url, policy, log)
  open.push(limit)
  await isCommon(limit)
  return limit
}

/** Waits until what the replica counts is counted in Redis. */
const isCommon = (limit: RateLimit) =>
  vi.waitFor(async () => {
    const key = randomUUID()
    await limit.take(key)
    await vi.waitFor(async () => expect(await admin.exists(`rate:${key}`)).toBe(1), 250)
  }, soon)

const taken = async (limit: RateLimit, key: string, times: number) => {
  let allowed = 0
  for (let time = 0; time < times; time++) if ((await limit.take(key)).allowed) allowed += 1
  return allowed
}

test.each([5, 3_000])(
  'two replicas share one limit, and %i requests are allowed exactly',
  async (requests) => {
    const policy = { requests, seconds: 60 }
    const [one, other] = await Promise.all([replica(policy), replica(policy)])
    const key = randomUUID()
    const allowed = await Promise.all([
      taken(one, key, requests),
      taken(other, key, requests),
      taken(one, key, requests),
    ])
    expect(allowed.reduce((sum, each) => sum + each)).toBe(requests)
  },
)

/** Time that only the test moves: no window ends, and no request waits longer, before it is told to. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** In each direction: a command takes longer than a request waits for it. */
const FAR_MS = 75

test('two replicas share one limit also when Redis is far away, but for a 64th of it each', async () => {
  const policy = { requests: 3_000, seconds: 60 }
  const far = await proxyTo(servers().redis, { delayMs: FAR_MS })
  onTestFinished(() => far.close())
  const [one, other] = await Promise.all([replica(policy, far.url), replica(policy, far.url)])
  const key = randomUUID()
  const clients = Array.from({ length: 300 }, (_, at) => taken(at % 2 === 0 ? one : other, key, 30))
  const allowed = (await Promise.all(clients)).reduce((sum, each) => sum + each)
  expect(allowed).toBeGreaterThanOrEqual(policy.requests)
  expect(allowed).toBeLessThanOrEqual(policy.requests * (1 + 2 / 64))
})

test('requests that passed while Redis was unavailable are in the common count when it is back', async () => {
  const policy = { requests: 300, seconds: 60 }
  const [one, other] = await Promise.all([replica(policy), replica(policy)])
  const key = randomUUID()
  await taken(one, key, 10)
  proxy.cut()
  expect(await taken(one, key, 200)).toBe(200)
  proxy.mend()
  await isCommon(one)
  await isCommon(other)
  // More than the lot that the replica may have leased before.
  const since = await taken(one, key, 10)
  expect(since + (await taken(other, key, 300))).toBeLessThanOrEqual(90)
})

test('what is left counts down one by one, to nothing', async () => {
  const limit = await replica({ requests: 300, seconds: 60 })
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const key = randomUUID()
  const left: number[] = []
  for (let time = 0; time < 301; time++) left.push((await limit.take(key)).remaining)
  expect(left).toEqual([...Array.from({ length: 300 }, (_, index) => 299 - index), 0])
  expect(await limit.take(key)).toMatchObject({ allowed: false, remaining: 0 })
  expect((await limit.take(key)).seconds).toBeLessThanOrEqual(60)
})

test('a new window begins when it was said to', async () => {
  const limit = await replica({ requests: 2, seconds: 60 })
  stopClock()
  const key = randomUUID()
  expect(await taken(limit, key, 5)).toBe(2)
  const { seconds } = await limit.take(key)
  // Redis has ended the window as well.
  await admin.del(`rate:${key}`)
  vi.advanceTimersByTime((seconds - 2) * 1_000)
  expect(await taken(limit, key, 1)).toBe(0)
  vi.advanceTimersByTime(2_000)
  expect(await taken(limit, key, 5)).toBe(2)
})

test('keys do not count for one another', async () => {
  const limit = await replica({ requests: 2, seconds: 60 })
  expect(await taken(limit, randomUUID(), 5)).toBe(2)
  expect(await taken(limit, randomUUID(), 5)).toBe(2)
})

// 110 to 400, more where Redis is late: a request that does not wait any longer costs a command of its own.
test('3,000 requests of one key cost fewer than 1,000 commands', async () => {
  const limit = await replica({ requests: 3_000, seconds: 60 })
  await admin.config('RESETSTAT')
  await taken(limit, randomUUID(), 3_000)
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]
  expect(Number(calls)).toBeGreaterThan(100)
  expect(Number(calls)).toBeLessThan(1_000)
})

test('without Redis every replica counts for itself; when it is back they count together again', async () => {
  const policy = { requests: 3, seconds: 60 }
  const [one, other] = await Promise.all([replica(policy), replica(policy)])
  proxy.cut()
  const meanwhile = randomUUID()
  expect(await taken(one, meanwhile, 10)).toBe(3)
  expect(await taken(other, meanwhile, 10)).toBe(3)
  proxy.mend()
  await isCommon(one)
  await isCommon(other)
  const key = randomUUID()
  expect((await taken(one, key, 10)) + (await taken(other, key, 10))).toBe(3)
})

test('a frozen Redis costs one request a tenth of a second, and the others nothing', async () => {
  const limit = await replica({ requests: 1_000, seconds: 60 })
  stopClock()
  proxy.freeze()
  let isAnswered = false
  const first = limit.take(randomUUID()).finally(() => (isAnswered = true))
  vi.advanceTimersByTime(99)
  await new Promise(setImmediate)
  expect(isAnswered).toBe(false)
  vi.advanceTimersByTime(1)
  expect((await first).allowed).toBe(true)
  // The clock stands still: one that waited as well would never be answered.
  expect(await taken(limit, randomUUID(), 10)).toBe(10)
  for (let time = 0; time < 50; time++) expect((await limit.take(randomUUID())).allowed).toBe(true)
})
