import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CircuitBreaker } from '#/circuit-breaker.ts'

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => vi.useRealTimers())

function setting() {
  const breaker = new CircuitBreaker({ failures: 3, openMs: 30 })
  const state = { up: false, calls: 0 }
  const call = () =>
    breaker.run(async () => {
      state.calls++
      if (!state.up) throw new Error('down')
      return 'answer'
    }, 'fallback')
  return { state, call }
}

test('makes every call while they succeed', async () => {
  const { state, call } = setting()
  state.up = true
  expect([await call(), await call()]).toEqual(['answer', 'answer'])
})

test('makes no call after three failures in a row, and one after the open time', async () => {
  const { state, call } = setting()
  for (let index = 0; index < 10; index++) expect(await call()).toBe('fallback')
  expect(state.calls).toBe(3)
  vi.advanceTimersByTime(31)
  await Promise.all(Array.from({ length: 10 }, call))
  expect(state.calls, 'that call failed').toBe(4)
})

test('makes all calls again after that one succeeds', async () => {
  const { state, call } = setting()
  for (let index = 0; index < 3; index++) await call()
  state.up = true
  expect(await call()).toBe('fallback')
  vi.advanceTimersByTime(31)
  expect([await call(), await call(), await call()]).toEqual(['answer', 'answer', 'answer'])
})

test('failures between successes do not open the circuit', async () => {
  const { state, call } = setting()
  for (let round = 0; round < 5; round++) {
    state.up = false
    await call()
    await call()
    state.up = true
    expect(await call()).toBe('answer')
  }
})
