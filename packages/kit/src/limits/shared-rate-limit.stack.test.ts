import { randomUUID } from 'node:crypto'
import { PATIENT_REDIS, proxyTo, servers, type Proxy } from '@platter/testkit'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connectRedis, type Redis } from '#/lifecycle/redis.ts'
import { SharedRateLimit } from '#/limits/shared-rate-limit.ts'
import { createLog } from '#/telemetry/log.ts'

const log = createLog('test', 'silent')
const soon = { timeout: 30_000, interval: 10 }

let proxy: Proxy
let admin: Redis
let open: SharedRateLimit[] = []

beforeEach(async () => {
  proxy = await proxyTo(servers().redis)
  admin = connectRedis(servers().redis, log, PATIENT_REDIS)
  await vi.waitFor(() => admin.ping(), soon)
})

afterEach(async () => {
  for (const limit of open) limit.close()
  open = []
  await vi.waitFor(() => admin.ping(), soon)
  admin.disconnect()
  await proxy.close()
})

type Limit = { requests: number; seconds: number }

/** Returns the limit of a replica that is connected to Redis. */
async function replica(policy: Limit, url = proxy.url): Promise<SharedRateLimit> {
  const limit = new SharedRateLimit(url, { name: 'default', what: 'requests', ...policy }, log)
  open.push(limit)
  await waitUntilShared(limit)
  return limit
}

/** Waits until Redis counts the requests of the replica. */
const waitUntilShared = (limit: SharedRateLimit) =>
  vi.waitFor(async () => {
    const key = randomUUID()
    limit.take(key)
    await vi.waitFor(async () => expect(await admin.exists(`rate:${key}`)).toBe(1), 250)
  }, soon)

/** Takes requests one after another, and lets the replica handle responses of Redis in between. */
async function countAllowed(limit: SharedRateLimit, key: string, times: number): Promise<number> {
  let allowed = 0
  for (let time = 0; time < times; time++) {
    if (limit.take(key).isAllowed) allowed += 1
    await new Promise(setImmediate)
  }
  return allowed
}

/** Waits until Redis has counted so many requests of the key. */
const waitUntilCounted = (key: string, requests: number) =>
  vi.waitFor(async () => expect(Number(await admin.get(`rate:${key}`))).toBe(requests), soon)

// A busy gateway sees the same delay: it reads the response late.
test('two replicas share one limit, also if Redis is slow: requests at one are subtracted at the other', async () => {
  const far = await proxyTo(servers().redis, { delayMs: 150 })
  onTestFinished(() => far.close())
  const policy = { requests: 5, seconds: 60 }
  // While the machine stands still, the connections stay open, and so each request is counted.
  const url = `${far.url}?socketTimeout=60000`
  const [one, other] = await Promise.all([replica(policy, url), replica(policy, url)])
  const key = randomUUID()
  expect(await countAllowed(one, key, 3)).toBe(3)
  await waitUntilCounted(key, 3)
  expect(other.take(key).isAllowed).toBe(true)
  await waitUntilCounted(key, 4)
  await vi.waitFor(() => expect(other.take(key)).toMatchObject({ isAllowed: false, remaining: 0 }), soon)
})

/** Only the test moves the time: no window ends and no wait times out before that. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('one replica admits exactly 3,000 requests of a key', async () => {
  const limit = await replica({ requests: 3_000, seconds: 60 })
  expect(await countAllowed(limit, randomUUID(), 3_100)).toBe(3_000)
})

test('the common count includes the requests from an outage of Redis', async () => {
  const policy = { requests: 300, seconds: 60 }
  const [one, other] = await Promise.all([replica(policy), replica(policy)])
  const key = randomUUID()
  await countAllowed(one, key, 10)
  proxy.cut()
  expect(await countAllowed(one, key, 200)).toBe(200)
  proxy.restore()
  await waitUntilShared(one)
  await waitUntilShared(other)
  await countAllowed(one, key, 1)
  // A report whose result the outage hid may not be counted.
  await vi.waitFor(async () => expect(Number(await admin.get(`rate:${key}`))).toBeGreaterThan(200), soon)
  other.take(key)
  await vi.waitFor(() => expect(other.take(key).remaining).toBeLessThan(100), soon)
})

test('the remaining requests count down one by one, to 0', async () => {
  const limit = await replica({ requests: 300, seconds: 60 })
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const key = randomUUID()
  const remaining: number[] = []
  for (let time = 0; time < 301; time++) remaining.push(limit.take(key).remaining)
  expect(remaining).toEqual([...Array.from({ length: 300 }, (_, index) => 299 - index), 0])
  expect(limit.take(key)).toMatchObject({ isAllowed: false, remaining: 0 })
  expect(limit.take(key).seconds).toBeLessThanOrEqual(60)
})

test('a new window begins at the announced time', async () => {
  const limit = await replica({ requests: 2, seconds: 60 })
  stopClock()
  const key = randomUUID()
  expect(await countAllowed(limit, key, 5)).toBe(2)
  const { seconds } = limit.take(key)
  // Redis has ended the window as well.
  await admin.del(`rate:${key}`)
  vi.advanceTimersByTime((seconds - 2) * 1_000)
  expect(await countAllowed(limit, key, 1)).toBe(0)
  vi.advanceTimersByTime(2_000)
  expect(await countAllowed(limit, key, 5)).toBe(2)
})

test('each key has its own limit', async () => {
  const limit = await replica({ requests: 2, seconds: 60 })
  expect(await countAllowed(limit, randomUUID(), 5)).toBe(2)
  expect(await countAllowed(limit, randomUUID(), 5)).toBe(2)
})

test('3,000 requests of one key cost fewer than 1,000 commands', async () => {
  const limit = await replica({ requests: 3_000, seconds: 60 })
  await admin.config('RESETSTAT')
  await countAllowed(limit, randomUUID(), 3_000)
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]
  expect(Number(calls)).toBeLessThan(1_000)
})

test('each replica counts alone while Redis is unavailable; later they share a count again', async () => {
  const policy = { requests: 3, seconds: 60 }
  const [one, other] = await Promise.all([replica(policy), replica(policy)])
  proxy.cut()
  const meanwhile = randomUUID()
  expect(await countAllowed(one, meanwhile, 10)).toBe(3)
  expect(await countAllowed(other, meanwhile, 10)).toBe(3)
  proxy.restore()
  await waitUntilShared(one)
  await waitUntilShared(other)
  const key = randomUUID()
  await countAllowed(one, key, 10)
  await waitUntilCounted(key, 3)
  other.take(key)
  await vi.waitFor(() => expect(other.take(key).isAllowed).toBe(false), soon)
})

test('a replica counts alone while Redis is frozen', async () => {
  const limit = await replica({ requests: 3, seconds: 60 })
  proxy.freeze()
  expect(await countAllowed(limit, randomUUID(), 10)).toBe(3)
})
