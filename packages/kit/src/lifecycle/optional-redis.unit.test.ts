import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { OptionalRedis } from '#/lifecycle/optional-redis.ts'
import type { Redis } from '#/lifecycle/redis.ts'

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => vi.useRealTimers())

function setting() {
  const client = { status: 'ready' }
  const redis = new OptionalRedis(client as Redis)
  const state = { isUp: false, commands: 0 }
  const run = () =>
    redis.run(
      async () => {
        state.commands++
        if (!state.isUp) throw new Error('down')
        return 'reply'
      },
      () => 'fallback',
    )
  return { client, redis, state, run }
}

test('sends every command while commands succeed', async () => {
  const { state, run } = setting()
  state.isUp = true
  expect([await run(), await run()]).toEqual(['reply', 'reply'])
})

test('sends no command without a connection, and commands again with it', async () => {
  const { client, redis, state, run } = setting()
  state.isUp = true
  client.status = 'reconnecting'
  for (let index = 0; index < 10; index++) expect(await run()).toBe('fallback')
  expect([redis.isAvailable, state.commands]).toEqual([false, 0])
  client.status = 'ready'
  expect([redis.isAvailable, await run()]).toEqual([true, 'reply'])
})

test('sends no command after five failures in a row, and one trial command after a second', async () => {
  const { redis, state, run } = setting()
  for (let index = 0; index < 10; index++) expect(await run()).toBe('fallback')
  expect([redis.isAvailable, state.commands]).toEqual([false, 5])
  vi.advanceTimersByTime(1_000)
  expect(redis.isAvailable).toBe(true)
  await Promise.all(Array.from({ length: 10 }, run))
  expect(state.commands, 'one trial command').toBe(6)
})

test('sends all commands again after the trial command succeeds', async () => {
  const { state, run } = setting()
  for (let index = 0; index < 5; index++) await run()
  state.isUp = true
  expect(await run()).toBe('fallback')
  vi.advanceTimersByTime(1_000)
  expect([await run(), await run(), await run()]).toEqual(['reply', 'reply', 'reply'])
})

test('failures between successes do not make Redis unavailable', async () => {
  const { state, run } = setting()
  for (let round = 0; round < 5; round++) {
    state.isUp = false
    await run()
    await run()
    state.isUp = true
    expect(await run()).toBe('reply')
  }
})

test('an error of the fallback reaches the caller', async () => {
  const { redis } = setting()
  const failing = redis.run(
    () => Promise.reject(new Error('down')),
    () => Promise.reject(new Error('too many attempts')),
  )
  await expect(failing).rejects.toThrow('too many attempts')
})
