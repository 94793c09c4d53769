import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConcurrencyLimit, overloaded, type Permit } from '#/limits/concurrency-limit.ts'

test('work above the limit is rejected as overloaded (503), and accepted when a permit is released', () => {
  const limit = new ConcurrencyLimit({ permits: 2 })
  const one = limit.acquire()
  limit.acquire()
  expect(() => limit.acquire()).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }) as Error)
  one.release()
  expect(() => limit.acquire()).not.toThrow()
})

test('a permit is released once, however often release is called', () => {
  const limit = new ConcurrencyLimit({ permits: 2 })
  {
    using early = limit.acquire()
    early.release()
    early.release()
  }
  for (const _ of [1, 2]) limit.acquire()
  expect(limit.isAvailable()).toBe(false)
})

test('suspended work uses no permit, and continues above the limit afterwards', async () => {
  const limit = new ConcurrencyLimit({ permits: 1 })
  const outside = Promise.withResolvers<string>()
  const permit = limit.acquire('one')
  const waiting = permit.suspend(() => outside.promise)
  const other = limit.acquire('other')
  expect(limit.isAvailable()).toBe(false)
  outside.resolve('token')
  await expect(waiting).resolves.toBe('token')
  other.release()
  expect(limit.isAvailable()).toBe(false)
  permit.release()
  expect(limit.isAvailable('one')).toBe(true)
})

test('suspend() acquires the permit again after a failure, unless it was released meanwhile', async () => {
  const limit = new ConcurrencyLimit({ permits: 1 })
  const permit = limit.acquire()
  await expect(permit.suspend(() => Promise.reject(new Error('no response')))).rejects.toThrow('no response')
  expect(limit.isAvailable()).toBe(false)
  await permit.suspend(async () => permit.release())
  expect(limit.isAvailable()).toBe(true)
})

test('usedMs is the time in which the permit was in use, without the wait for another system', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const permit = new ConcurrencyLimit({ permits: 1 }).acquire()
  vi.advanceTimersByTime(200)
  await permit.suspend(async () => {
    vi.advanceTimersByTime(6_000)
    expect(permit.usedMs).toBe(200)
  })
  vi.advanceTimersByTime(100)
  expect(permit.usedMs).toBe(300)
})

test('an overloaded service asks for a retry after 1 to 3 s, so that clients do not return together', () => {
  const waits = Array.from({ length: 200 }, () => overloaded().retryAfterSeconds)
  expect(new Set(waits)).toEqual(new Set([1, 2, 3]))
})

test('an application gets at most two thirds of the free permits, rounded up: 8, 3 and 1 of 12', () => {
  const limit = new ConcurrencyLimit({ permits: 12 })
  const acquireAll = (applicationId: string) => {
    for (let count = 0; ; count += 1)
      try {
        limit.acquire(applicationId)
      } catch {
        return count
      }
  }
  expect(['noisy', 'loud', 'quiet'].map(acquireAll)).toEqual([8, 3, 1])
})

test('each key has its own permits', () => {
  const limit = new ConcurrencyLimit({ permitsPerKey: 2 })
  const [first] = [limit.acquire('one'), limit.acquire('one')]
  expect(limit.tryAcquire('one')).toBeNull()
  expect(limit.tryAcquire('other')).not.toBeNull()
  first.release()
  expect(limit.tryAcquire('one')).not.toBeNull()
})

describe('waiting for a permit', () => {
  const WAIT_MS = 400
  const PENDING = 240
  let limit: ConcurrencyLimit

  beforeEach(() => {
    vi.useFakeTimers()
    limit = new ConcurrencyLimit({ permitsPerKey: 16, pendingPerKey: PENDING })
  })
  afterEach(() => void vi.useRealTimers())

  const exhaust = (key: string): Permit[] => Array.from({ length: 16 }, () => limit.acquire(key))
  const wait = (key: string) => limit.waitAtMost(WAIT_MS, key)

  test('an exhausted key gets no permit within the wait; another key gets one at once', async () => {
    exhaust('silent')
    const late = wait('silent')
    expect(await wait('other')).not.toBeNull()
    vi.advanceTimersByTime(WAIT_MS)
    expect(await late).toBeNull()
  })

  test('a released permit goes only to the request that has waited longest', async () => {
    const [first] = exhaust('busy')
    const pending = [wait('busy'), wait('busy')]
    first?.release()
    expect(await pending[0]).not.toBeNull()
    vi.advanceTimersByTime(WAIT_MS)
    expect(await pending[1]).toBeNull()
  })

  test('a released permit is not granted to a pending request of another key', async () => {
    exhaust('silent')
    const silent = wait('silent')
    const [first] = exhaust('busy')
    const busy = wait('busy')
    first?.release()
    expect(await busy).not.toBeNull()
    vi.advanceTimersByTime(WAIT_MS)
    expect(await silent).toBeNull()
  })

  test('a request above the bound of pending requests is rejected without a wait', async () => {
    exhaust('silent')
    const pending = Array.from({ length: PENDING }, () => wait('silent'))
    expect(await wait('silent')).toBeNull()
    vi.advanceTimersByTime(WAIT_MS)
    expect(new Set(await Promise.all(pending))).toEqual(new Set([null]))
  })

  test('the limit holds again after every permit was released', async () => {
    for (const permit of exhaust('busy')) permit.release()
    exhaust('busy')
    const late = wait('busy')
    vi.advanceTimersByTime(WAIT_MS)
    expect(await late).toBeNull()
  })

  test('work begins in order of arrival, two at a time, also after a failure', async () => {
    const two = new ConcurrencyLimit({ permits: 2 })
    const started: number[] = []
    const works = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
    const all = works.map(({ promise }, at) =>
      two.run(() => {
        started.push(at)
        return promise
      }),
    )
    await vi.advanceTimersByTimeAsync(0)
    expect(started).toEqual([0, 1])
    works[1]?.reject(new Error('planted'))
    await expect(all[1]).rejects.toThrow('planted')
    await vi.advanceTimersByTimeAsync(0)
    expect(started).toEqual([0, 1, 2])
    for (const { resolve } of works) resolve()
    await Promise.all([all[0], all[2], all[3]])
    expect(started).toEqual([0, 1, 2, 3])
    expect(two.isAvailable()).toBe(true)
  })
})
