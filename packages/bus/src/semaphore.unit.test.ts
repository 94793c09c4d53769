import { expect, test } from 'vitest'
import { Semaphore, Stopped } from '#/semaphore.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('so many pieces of work run at a time, the next one begins when one ends, in their order', async () => {
  const concurrency = new Semaphore(2)
  const begun: number[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const all = [0, 1, 2, 3].map((at) =>
    concurrency.run(() => {
      begun.push(at)
      return (ends[at] = Promise.withResolvers<void>()).promise
    }),
  )
  await turn()
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('planted'))
  await expect(all[1]).rejects.toThrow('planted')
  await turn()
  expect(begun).toEqual([0, 1, 2])
  ends[0]?.resolve()
  ends[2]?.resolve()
  await turn()
  ends[3]?.resolve()
  await Promise.all([all[0], all[2], all[3]])
  expect(begun).toEqual([0, 1, 2, 3])
  let isFree = false
  await Promise.all([concurrency.run(turn), concurrency.run(async () => (isFree = true))])
  expect(isFree).toBe(true)
})

test('a stop rejects the work that has not begun, and lets the rest end', async () => {
  const concurrency = new Semaphore(1)
  const end = Promise.withResolvers<void>()
  const running = concurrency.run(() => end.promise)
  const waiting = concurrency.run(() => Promise.resolve())
  concurrency.stop()
  await expect(waiting).rejects.toBeInstanceOf(Stopped)
  end.resolve()
  await running
})
