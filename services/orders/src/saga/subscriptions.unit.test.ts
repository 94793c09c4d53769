import { expect, test } from 'vitest'
import { Subscriptions } from '#/saga/subscriptions.ts'

const nothing = () => Promise.withResolvers<null>().promise

test('a key is counted until its last subscription ends, and counted again with the next one', () => {
  const subscriptions = new Subscriptions()
  const [first, second] = [subscriptions.add('o1'), subscriptions.add('o1')]
  subscriptions.add('o2')
  first[Symbol.dispose]()
  expect(subscriptions.keys).toEqual(['o1', 'o2'])
  second[Symbol.dispose]()
  expect([subscriptions.keys, subscriptions.size]).toEqual([['o2'], 1])
  subscriptions.add('o1')
  // A second end of the same subscription must not end the new one.
  second[Symbol.dispose]()
  expect(subscriptions.size).toBe(2)
})

test('a wake-up reaches each subscription of its key, and none that has ended', async () => {
  const subscriptions = new Subscriptions()
  const [ended, one, other] = [subscriptions.add('o1'), subscriptions.add('o1'), subscriptions.add('o1')]
  ended[Symbol.dispose]()
  const result = { kind: 'failed', refusal: { code: 'card-declined', detail: 'Declined.' } } as const
  subscriptions.wake('o1', result)
  expect([ended.known, one.known, other.known]).toEqual([null, result, result])
})

test('an ended stream does not wait: its signal rejects the wait for a wake-up', async () => {
  const subscription = new Subscriptions().add('o1')
  const end = new AbortController()
  const woken = subscription.woken(end.signal)
  end.abort(new Error('the client disconnected'))
  await expect(woken).rejects.toThrow('the client disconnected')
  await expect(subscription.woken(end.signal)).rejects.toThrow('the client disconnected')
})

test('each wake-up resolves one wait, and a wait without one lasts', async () => {
  const subscription = new Subscriptions().add('o1')
  const { signal } = new AbortController()
  subscription.wake()
  await subscription.woken(signal)
  let isWoken = false
  void subscription.woken(signal).then(() => (isWoken = true))
  await Promise.race([nothing(), new Promise(setImmediate)])
  expect(isWoken).toBe(false)
})
