import { expect, test } from 'vitest'
import { doubleTaps } from '#/double-tap.ts'

const tap = (timeStamp: number, clientX = 100, clientY = 100) => ({
  timeStamp,
  clientX,
  clientY,
  detail: 1,
})

test('each further tap at the same place within half a second belongs to the first one', () => {
  const isSecond = doubleTaps()
  const taps = [tap(0), tap(180), tap(400, 110, 95), tap(950)]
  expect(taps.map(isSecond)).toEqual([false, true, true, false])
})

test('a tap at another place counts at once, and so does each key press', () => {
  const isSecond = doubleTaps()
  const key = { timeStamp: 150, clientX: 0, clientY: 0, detail: 0 }
  expect([tap(0), tap(100, 100, 160), key, key].map(isSecond)).toEqual([false, false, false, false])
})
