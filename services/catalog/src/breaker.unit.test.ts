import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Breaker } from '#/breaker.ts'

beforeAll(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => vi.useRealTimers())

function setting() {
  const breaker = new Breaker({ failures: 3, openMs: 30 })
  const state = { up: false, calls: 0 }
  const ask = () =>
    breaker.run(async () => {
      state.calls++
      if (!state.up) throw new Error('down')
      return 'answer'
    }, 'otherwise')
  return { state, ask }
}

test('while it works every call is made', async () => {
  const { state, ask } = setting()
  state.up = true
  expect([await ask(), await ask()]).toEqual(['answer', 'answer'])
})

test('after so many failures in a row it is left alone, then one call tries', async () => {
  const { state, ask } = setting()
  for (let call = 0; call < 10; call++) expect(await ask()).toBe('otherwise')
  expect(state.calls).toBe(3)
  vi.advanceTimersByTime(31)
  await Promise.all(Array.from({ length: 10 }, ask))
  expect(state.calls, 'the one that tried failed').toBe(4)
})

test('when the call that tries works, all are made again', async () => {
  const { state, ask } = setting()
  for (let call = 0; call < 3; call++) await ask()
  state.up = true
  expect(await ask()).toBe('otherwise')
  vi.advanceTimersByTime(31)
  expect([await ask(), await ask(), await ask()]).toEqual(['answer', 'answer', 'answer'])
})

test('failures that are not in a row do not count', async () => {
  const { state, ask } = setting()
  for (let round = 0; round < 5; round++) {
    state.up = false
    await ask()
    await ask()
    state.up = true
    expect(await ask()).toBe('answer')
  }
})
