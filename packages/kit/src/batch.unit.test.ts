import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { batched } from './batch.ts'

const refused = () => Object.assign(new Error('duplicate key'), { code: '23505' })

/** Statements that end when they are told to, in the order in which they were made. */
function statements() {
  const made: { items: readonly string[]; end(): void; fail(error: Error): void }[] = []
  const call = batched({
    keyOf: (item: string) => item.slice(0, 1),
    run: (_on: object, items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>()
      made.push({
        items,
        end: () => resolve(items.map((item) => `${item} done`)),
        fail: reject,
      })
      return promise
    },
  })
  const on = {}
  return { made, items: () => made.map(({ items }) => items), call: (item: string) => call(on, item) }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a call that comes alone is made at once', () => {
  const { items, call } = statements()
  void call('a')
  expect(items()).toEqual([['a']])
})

test('calls that come while two statements are under way share the next one, and each gets its own result', async () => {
  const { made, items, call } = statements()
  const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map(call))
  expect(items()).toEqual([['a'], ['b']])
  made[0]?.end()
  await settled()
  expect(items()).toEqual([['a'], ['b'], ['c', 'd', 'e']])
  made[1]?.end()
  made[2]?.end()
  expect(await results).toEqual(['a done', 'b done', 'c done', 'd done', 'e done'])
})

test('two calls for the same row are never in one statement', async () => {
  const { made, items, call } = statements()
  void ['a', 'b', 'c1', 'c2', 'd'].map(call)
  made[0]?.end()
  await settled()
  made[1]?.end()
  await settled()
  expect(items()).toEqual([['a'], ['b'], ['c1', 'd'], ['c2']])
})

test('of a statement that is refused only the item at fault is refused', async () => {
  const { made, items, call } = statements()
  const results = Promise.allSettled(['a', 'b', 'c', 'd'].map(call))
  made[0]?.end()
  await settled()
  made[1]?.end()
  made[2]?.fail(refused())
  await settled()
  made[3]?.fail(refused())
  await settled()
  made[4]?.end()
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  expect(items().slice(2)).toEqual([['c', 'd'], ['c'], ['d']])
})

test('a statement whose outcome is unknown is made for nobody again', async () => {
  const { made, items, call } = statements()
  const results = Promise.allSettled(['a', 'b', 'c', 'd'].map(call))
  made[0]?.end()
  await settled()
  made[1]?.end()
  made[2]?.fail(new Error('Connection terminated unexpectedly'))
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(items()).toHaveLength(3)
})

test('a statement is made in the context of the first call that it is for', async () => {
  const context = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const call = batched({
    keyOf: (item: string) => item,
    run: async (_on: object, items) => {
      seen.push(context.getStore())
      await settled()
      return items
    },
  })
  const on = {}
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => context.run(name, () => call(on, name))))
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('databases do not share statements', () => {
  const made: [object, readonly string[]][] = []
  const call = batched({
    keyOf: (item: string) => item,
    run: (on: object, items) => {
      made.push([on, items])
      return new Promise<string[]>(() => undefined)
    },
  })
  const [one, other] = [{}, {}]
  void call(one, 'a')
  void call(one, 'b')
  void call(one, 'c')
  void call(other, 'd')
  expect(made).toEqual([
    [one, ['a']],
    [one, ['b']],
    [other, ['d']],
  ])
})
