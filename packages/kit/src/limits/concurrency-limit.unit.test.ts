import { expect, test } from 'vitest'
import { ConcurrencyLimit, limitReads } from '#/limits/concurrency-limit.ts'
import type { App } from '#/http/app.ts'
import { createApp } from '#/http/server.ts'
import { createLog } from '#/telemetry/log.ts'

test('work above the limit is refused as overloaded (503), and accepted when a permit is released', () => {
  const limit = new ConcurrencyLimit(2)
  const one = limit.acquire()
  limit.acquire()
  expect(() => limit.acquire()).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }) as Error)
  one.release()
  expect(() => limit.acquire()).not.toThrow()
})

test('a permit is released once, however often release is called', () => {
  const limit = new ConcurrencyLimit(2)
  {
    using early = limit.acquire()
    early.release()
    early.release()
  }
  for (const _ of [1, 2]) limit.acquire()
  expect(limit.isAvailable()).toBe(false)
})

test('work that waits for something outside needs no permit, and goes on above the limit afterwards', async () => {
  const limit = new ConcurrencyLimit(1)
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

test('a permit is taken back when the wait fails, and stays released when it was released meanwhile', async () => {
  const limit = new ConcurrencyLimit(1)
  const permit = limit.acquire()
  await expect(permit.suspend(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer')
  expect(limit.isAvailable()).toBe(false)
  await permit.suspend(async () => permit.release())
  expect(limit.isAvailable()).toBe(true)
})

test('one application gets two thirds of the permits at most, and others share the rest alike', () => {
  const limit = new ConcurrencyLimit(12)
  const taken = (applicationId: string) => {
    for (let count = 0; ; count += 1)
      try {
        limit.acquire(applicationId)
      } catch {
        return count
      }
  }
  expect(['noisy', 'loud', 'quiet'].map(taken)).toEqual([8, 3, 1])
})

test('of 600 reads of applications at a time 512 are done; restaurants, operators and writes are not counted', async () => {
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((resolve) => ends.push(resolve))
  const app: App = createApp(createLog('test', 'silent'))
  limitReads(app)
  for (const url of ['/publicapi/v1/x', '/restaurantapi/v1/x', '/operatorapi/v1/x'])
    app.route({ method: ['GET', 'POST'], url, handler: async () => work().then(() => ({})) })
  const reads = Array.from({ length: 600 }, () => app.inject('/publicapi/v1/x'))
  const others = [
    app.inject('/restaurantapi/v1/x'),
    app.inject('/operatorapi/v1/x'),
    app.inject({ method: 'POST', url: '/publicapi/v1/x' }),
  ]
  await expect.poll(() => ends.length).toBe(512 + 3)
  for (const end of ends) end()
  const statuses = (await Promise.all(reads)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(512)
  expect(statuses.filter((status) => status === 503)).toHaveLength(88)
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})
