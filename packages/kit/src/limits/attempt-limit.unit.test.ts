import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AttemptLimit } from '#/limits/attempt-limit.ts'

let limit: AttemptLimit

beforeEach(() => {
  vi.useFakeTimers()
  limit = new AttemptLimit({ attempts: 2, seconds: 60 }, 'Too many guesses.')
})
afterEach(() => void vi.useRealTimers())

const rejected = (retryAfterSeconds: number) => ({
  code: 'rate-limited',
  status: 429,
  message: 'Too many guesses.',
  retryAfterSeconds,
})

test('an attempt above the limit is 429 with the seconds until the window of the key ends; other keys continue', async () => {
  await limit.count('one')
  vi.advanceTimersByTime(20_500)
  await limit.count('one')
  await expect(limit.count('one')).rejects.toMatchObject(rejected(40))
  await expect(limit.check('one')).rejects.toMatchObject(rejected(40))
  await limit.count('other')
  vi.advanceTimersByTime(40_000)
  await limit.count('one')
})

test('uncount() frees an attempt of the limit', async () => {
  for (let time = 0; time < 10; time++) {
    await limit.count('one')
    await limit.uncount('one')
  }
  await limit.count('one')
  await limit.count('one')
  await expect(limit.count('one')).rejects.toMatchObject(rejected(60))
})

test('check() does not count, and is 429 when the failed attempts have reached the limit', async () => {
  for (let time = 0; time < 10; time++) await limit.check('one')
  await limit.countFailed('one')
  await limit.check('one')
  await limit.countFailed('one')
  await expect(limit.check('one')).rejects.toMatchObject(rejected(60))
})
