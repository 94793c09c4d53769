import { randomUUID } from 'node:crypto'
import { Transform } from 'node:stream'
import { proxyTo, servers, type Proxy } from '@platter/testkit'
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
  // A machine that stalls for 100 ms must not fail the test's own commands.
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

type Limit = { requests: number; seconds: number }

/** Returns the limit of a replica that is connected to Redis. */
async function replica(policy: Limit, url = proxy.url, ownLog = log): Promise<SharedRateLimit> {
  const limit = new SharedRateLimit(url, { name: 'default', what: 'requests', ...policy }, ownLog)
  open.push(limit)
  await waitUntilShared(limit)
  return limit
}

/** Waits until Redis counts the requests of the replica. */
const waitUntilShared = (limit: SharedRateLimit) =>
  vi.waitFor(async () => {
    const key = randomUUID()
    await limit.take(key)
    await vi.waitFor(async () => expect(await admin.exists(`rate:${key}`)).toBe(1), 250)
  }, soon)

const countAllowed = async (limit: SharedRateLimit, key: string, times: number) => {
  let allowed = 0
  for (let time = 0; time < times; time++) if ((await limit.take(key)).isAllowed) allowed += 1
  return allowed
}

test.each([5, 3_000])(
  'two replicas share one limit, and admit exactly %i requests of a key',
  async (requests) => {
    const policy = { requests, seconds: 60 }
    const [one, other] = await Promise.all([replica(policy), replica(policy)])
    const key = randomUUID()
    const allowed = await Promise.all([
      countAllowed(one, key, requests),
      countAllowed(other, key, requests),
      countAllowed(one, key, requests),
    ])
    expect(allowed.reduce((sum, each) => sum + each)).toBe(requests)
  },
)

/** Only the test moves the time: no window ends and no wait times out before that. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** A command takes longer than a request waits for it. */
const FAR_MS = 150
const delay = () =>
  new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), FAR_MS)
      done()
    },
    flush: (done) => void setTimeout(done, FAR_MS),
  })

test('two replicas exceed their limit by at most a 64th each when Redis is slow', async () => {
  const policy = { requests: 3_000, seconds: 60 }
  const far = await proxyTo(servers().redis, { filter: delay })
  onTestFinished(() => far.close())
  const losses: string[] = []
  const ownLog = createLog('test', 'warn', { write: (line: string) => void losses.push(line) })
  const [one, other] = await Promise.all([replica(policy, far.url, ownLog), replica(policy, far.url, ownLog)])
  // Redis is unavailable instead of slow when this machine stalls for a second. Then the requests are sent again, with another key.
  const allowed = await vi.waitFor(async () => {
    await Promise.all([one, other].map(waitUntilShared))
    const key = randomUUID()
    losses.length = 0
    const clients = Array.from({ length: 300 }, (_, at) => countAllowed(at % 2 === 0 ? one : other, key, 30))
    const allowedOfEach = await Promise.all(clients)
    expect(losses).toEqual([])
    return allowedOfEach.reduce((sum, each) => sum + each)
  }, soon)
  expect(allowed).toBeGreaterThanOrEqual(policy.requests)
  expect(allowed).toBeLessThanOrEqual(policy.requests * (1 + 2 / 64))
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
  // More than the replica may have leased before.
  const since = await countAllowed(one, key, 10)
  expect(since + (await countAllowed(other, key, 300))).toBeLessThanOrEqual(90)
})

test('the remaining requests count down one by one, to 0', async () => {
  const limit = await replica({ requests: 300, seconds: 60 })
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const key = randomUUID()
  const remaining: number[] = []
  for (let time = 0; time < 301; time++) remaining.push((await limit.take(key)).remaining)
  expect(remaining).toEqual([...Array.from({ length: 300 }, (_, index) => 299 - index), 0])
  expect(await limit.take(key)).toMatchObject({ isAllowed: false, remaining: 0 })
  expect((await limit.take(key)).seconds).toBeLessThanOrEqual(60)
})

test('a new window begins at the announced time', async () => {
  const limit = await replica({ requests: 2, seconds: 60 })
  stopClock()
  const key = randomUUID()
  expect(await countAllowed(limit, key, 5)).toBe(2)
  const { seconds } = await limit.take(key)
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

// 110 to 400, more where Redis is late: a request that stops waiting costs a command.
test('3,000 requests of one key cost fewer than 1,000 commands', async () => {
  const limit = await replica({ requests: 3_000, seconds: 60 })
  await admin.config('RESETSTAT')
  await countAllowed(limit, randomUUID(), 3_000)
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]
  expect(Number(calls)).toBeGreaterThan(100)
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
  expect((await countAllowed(one, key, 10)) + (await countAllowed(other, key, 10))).toBe(3)
})

test('a frozen Redis delays one request by 100 ms, and no other', async () => {
  const limit = await replica({ requests: 1_000, seconds: 60 })
  stopClock()
  proxy.freeze()
  let isResolved = false
  const first = limit.take(randomUUID()).finally(() => (isResolved = true))
  vi.advanceTimersByTime(99)
  await new Promise(setImmediate)
  expect(isResolved).toBe(false)
  vi.advanceTimersByTime(1)
  expect((await first).isAllowed).toBe(true)
  // The clock is stopped: a second request that waited would never end.
  expect(await countAllowed(limit, randomUUID(), 10)).toBe(10)
  for (let time = 0; time < 50; time++) expect((await limit.take(randomUUID())).isAllowed).toBe(true)
})
