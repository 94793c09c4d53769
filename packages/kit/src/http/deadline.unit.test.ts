import { requestTimes } from '@platter/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadline, TIMEOUT_HEADER } from '#/http/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const remainingOf = (header: string | undefined, elapsedMs = 0) =>
  Deadline.of({ [TIMEOUT_HEADER]: header }, elapsedMs).remainingMs

test('the remaining time is the value of the header minus the time since the request arrived', () => {
  expect(remainingOf('4000', 100)).toBe(3_900)
})

test('the remaining time decreases to zero, and not below', () => {
  const deadline = Deadline.in(1_000)
  vi.advanceTimersByTime(400)
  expect([deadline.remainingMs, deadline.isOver]).toEqual([600, false])
  vi.advanceTimersByTime(601)
  expect([deadline.remainingMs, deadline.isOver, deadline.header]).toEqual([
    0,
    true,
    { [TIMEOUT_HEADER]: '0' },
  ])
})

test.each([undefined, '', '-1', '1e9', '12.5', 'soon', '999999', '9999999999999'])(
  'the invalid or excessive header %j results in the default deadline',
  (header) => expect(remainingOf(header)).toBe(requestTimes.deadline),
)

test('limit() returns at most the remaining time, and earlier() shortens a deadline', () => {
  const deadline = Deadline.in(3_000)
  expect(deadline.limit(2_000)).toBe(2_000)
  vi.advanceTimersByTime(2_500)
  expect(deadline.limit(2_000)).toBe(500)
  expect(deadline.earlier(300).remainingMs).toBe(200)
})

test('race() returns the result of work that ends in time, and null at the deadline', async () => {
  const deadline = Deadline.in(1_000)
  await expect(deadline.race(Promise.resolve('done'))).resolves.toBe('done')
  await expect(deadline.race(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  const raced = deadline.race(new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(1_000)
  await expect(raced).resolves.toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})
