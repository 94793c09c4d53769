import type { Bus } from '@platter/bus'
import type { Outcome, StepRef } from '@platter/contracts'
import { expect, test } from 'vitest'
import { commandHandler } from '#/command-handler.ts'

const authorize = { orderApiKey: 'o'.repeat(48), step: 'authorize', undo: false, version: 1, attempt: 1 }
const received = { requestId: 'r1' }

/** A handler whose commands the test completes, in the order in which they began. */
function handler() {
  const replies: unknown[] = []
  const executing: PromiseWithResolvers<Outcome | null>[] = []
  const bus = { publish: async (...published: unknown[]) => void replies.push(published[1]) }
  const handle = commandHandler<StepRef>(bus as Pick<Bus, 'publish'>, () => {
    const one = Promise.withResolvers<Outcome | null>()
    executing.push(one)
    return one.promise
  })
  return { replies, executing, handle }
}

test('a command repeated while the first is being handled is dropped, and the first is replied to', async () => {
  const { replies, executing, handle } = handler()
  const first = handle(authorize, received)
  await handle({ ...authorize, attempt: 2 }, received)
  await handle({ ...authorize, attempt: 3 }, received)
  expect(executing).toHaveLength(1)
  executing[0]?.resolve({ kind: 'done' })
  await first
  expect(replies).toEqual([{ ...authorize, outcome: { kind: 'done' } }])
})

test('commands of another order, another saga version or another refund are handled concurrently', async () => {
  const { replies, executing, handle } = handler()
  const others = [
    { ...authorize, orderApiKey: 'p'.repeat(48) },
    { ...authorize, version: 2 },
    { ...authorize, refund: 'f1' },
    { ...authorize, refund: 'f2' },
  ]
  const all = [authorize, ...others].map((command) => handle(command, received))
  for (const one of executing) one.resolve({ kind: 'done' })
  await Promise.all(all)
  expect(replies).toHaveLength(5)
})

test.each([
  ['replied to', (one: PromiseWithResolvers<Outcome | null>) => one.resolve({ kind: 'done' })],
  ['given no reply', (one: PromiseWithResolvers<Outcome | null>) => one.resolve(null)],
  ['rejected', (one: PromiseWithResolvers<Outcome | null>) => one.reject(new Error('no connection'))],
])('a command repeated after the first was %s is handled again', async (_, end) => {
  const { executing, handle } = handler()
  const first = handle(authorize, received)
  end(executing[0]!)
  await Promise.allSettled([first])
  const second = handle({ ...authorize, attempt: 2 }, received)
  expect(executing).toHaveLength(2)
  executing[1]?.resolve(null)
  await second
})
