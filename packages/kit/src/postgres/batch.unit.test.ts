import { context, createContextKey, ROOT_CONTEXT } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { batched } from '#/postgres/batch.ts'
import { enableTelemetry } from '#/telemetry/spans.ts'

const refused = () => Object.assign(new Error('duplicate key'), { code: '23505' })

/** Statements that end when the test ends them, in the order in which they started. */
function statements({ batchDelayMs }: { batchDelayMs?: number } = {}) {
  const made: { items: readonly string[]; end(): void; fail(error: Error): void }[] = []
  const call = batched({
    keyOf: (item: string) => item.slice(0, 1),
    ...(batchDelayMs !== undefined && { batchDelayMs }),
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
/** A statement that ends in one turn starts the next one in the turn after it. */
const endOfTurn = async () => {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('a single call starts at the end of the turn, without a timer', async () => {
  const { items, call } = statements()
  void call('a')
  expect(items()).toEqual([])
  await endOfTurn()
  expect(items()).toEqual([['a']])
})

test('calls of one turn share a statement, and each gets its own result', async () => {
  const { made, items, call } = statements()
  const results = Promise.all(['a', 'b', 'c'].map(call))
  await endOfTurn()
  expect(items()).toEqual([['a', 'b', 'c']])
  made[0]?.end()
  expect(await results).toEqual(['a done', 'b done', 'c done'])
})

test('calls that arrive while two statements run share the next one', async () => {
  const { made, items, call } = statements()
  for (const item of ['a', 'b']) {
    void call(item)
    await endOfTurn()
  }
  for (const item of ['c', 'd']) {
    void call(item)
    await endOfTurn()
  }
  expect(items()).toEqual([['a'], ['b']])
  made[0]?.end()
  await endOfTurn()
  expect(items()).toEqual([['a'], ['b'], ['c', 'd']])
})

test('two calls for the same row are never in one statement', async () => {
  const { items, call } = statements()
  void ['a', 'c1', 'c2', 'd'].map(call)
  await endOfTurn()
  expect(items()).toEqual([['a', 'c1', 'd'], ['c2']])
})

test('a statement takes at most 64 items; the rest starts beside it', async () => {
  const { items, call } = statements()
  const many = Array.from({ length: 65 }, (_, at) => String.fromCodePoint(0x4e00 + at))
  void many.map(call)
  await endOfTurn()
  expect(items().map(({ length }) => length)).toEqual([64, 1])
})

test('batched calls share a statement after batchDelayMs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { items, call } = statements({ batchDelayMs: 100 })
  void call('a')
  vi.advanceTimersByTime(60)
  void call('b')
  vi.advanceTimersByTime(39)
  expect(items()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(items()).toEqual([['a', 'b']])
})

test('a backlog of batched calls starts a full batch as soon as a statement ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { made, items, call } = statements({ batchDelayMs: 100 })
  void Array.from({ length: 200 }, (_, at) => call(String.fromCodePoint(0x4e00 + at)))
  vi.advanceTimersByTime(100)
  await endOfTurn()
  expect(items().map(({ length }) => length)).toEqual([64, 64])
  made[0]?.end()
  await endOfTurn()
  expect(items().map(({ length }) => length)).toEqual([64, 64, 64])
})

test('a refused statement is retried item by item: only the item at fault is rejected', async () => {
  const { made, items, call } = statements()
  const results = Promise.allSettled(['a', 'b'].map(call))
  await endOfTurn()
  made[0]?.fail(refused())
  await endOfTurn()
  made[1]?.fail(refused())
  await endOfTurn()
  made[2]?.end()
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(items()).toEqual([['a', 'b'], ['a'], ['b']])
})

test.each([
  ['whose outcome is unknown', new Error('Connection terminated unexpectedly')],
  ['that exceeded statement_timeout', Object.assign(new Error('canceled'), { code: '57014' })],
])('a statement %s is never retried', async (_, error) => {
  const { made, items, call } = statements()
  const results = Promise.allSettled(['a', 'b'].map(call))
  await endOfTurn()
  made[0]?.fail(error)
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(items()).toHaveLength(1)
})

test('a statement runs in the trace of its first call, also when it waits for others', async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(() => context.disable())
  onTestFinished(enableTelemetry({ isParentBased: true, ratio: 0 }))
  const name = createContextKey('name')
  const seen: unknown[] = []
  const ends: (() => void)[] = []
  const call = batched({
    run: (_on: object, items: readonly string[]) => {
      seen.push(context.active().getValue(name))
      const { promise, resolve } = Promise.withResolvers<readonly string[]>()
      ends.push(() => resolve(items))
      return promise
    },
  })
  const on = {}
  const callAs = (as: string) => context.with(ROOT_CONTEXT.setValue(name, as), () => call(on, as))
  const first = [callAs('a'), callAs('b')]
  await endOfTurn()
  const second = callAs('c')
  await endOfTurn()
  const waiting = [callAs('d'), call(on, 'of no trace')]
  ends[0]?.()
  await Promise.all(first)
  await endOfTurn()
  for (const end of ends) end()
  await Promise.all([second, ...waiting])
  expect(seen).toEqual(['a', 'c', 'd'])
})

test('calls for different databases do not share a statement', async () => {
  const made: [object, readonly string[]][] = []
  const call = batched({
    run: (on: object, items: readonly string[]) => {
      made.push([on, items])
      return new Promise<string[]>(() => undefined)
    },
  })
  const [one, other] = [{}, {}]
  for (const item of ['a', 'b']) void call(one, item)
  void call(other, 'c')
  await endOfTurn()
  expect(made).toEqual([
    [one, ['a', 'b']],
    [other, ['c']],
  ])
})
