import type { Message } from 'amqplib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { encode, type Outgoing } from '#/message-format.ts'
import { Questions, type QuestionRoutes } from '#/questions.ts'
import { NoReply } from '#/unavailable.ts'

let published: [queue: string, atMs: number, item: Outgoing][] = []
let startedAt = 0
const recordPublish = (queue: string, item: Outgoing) =>
  void published.push([queue, performance.now() - startedAt, item])
const routes: QuestionRoutes = {
  toQueue: async (item) => recordPublish('queue', item),
  toOther: (item) => recordPublish('other', item),
}
const publishTimes = () => published.map(([queue, atMs]) => `${queue} ${atMs}`)
const question = { json: '{"a":1}', requestId: 'r' }
const reply = (id: string | undefined, json: string) => encode([{ json, id }]) as unknown as Message

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  published = []
  startedAt = performance.now()
})
afterEach(() => void vi.useRealTimers())

test('a question is repeated after 0.2, 0.6 and 1.4 s, also to the other queue from the second time on, until its timeout', async () => {
  const questions = new Questions()
  const result = questions.ask('catalog.quote', question, 2_000, routes)
  const outcome = result.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(2_100)
  expect(await outcome).toBeInstanceOf(NoReply)
  expect(publishTimes()).toEqual([
    'queue 0',
    'queue 200',
    'queue 600',
    'other 600',
    'queue 1400',
    'other 1400',
  ])
  expect(published.map(([, , { timeoutMs }]) => timeoutMs)).toEqual([2_000, 1_800, 1_400, 1_400, 600, 600])
  expect(new Set(published.map(([, , { id }]) => id)).size).toBe(1)
})

test('the first reply ends a question and its repeats; replies to other questions have no effect', async () => {
  const questions = new Questions()
  const one = questions.ask('catalog.quote', question, 2_000, routes)
  const other = questions.ask('catalog.quote', question, 2_000, routes)
  const [id, otherId] = published.map(([, , item]) => item.id)
  await vi.advanceTimersByTimeAsync(200)
  for (const json of ['1', '2']) questions.receiveReplies(reply(id, json))
  expect(await one).toBe(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(published.filter(([, , item]) => item.id === id)).toHaveLength(2)
  questions.receiveReplies(reply(otherId, '3'))
  expect(await other).toBe(3)
})

test('a question to a queue that does not exist is published to the other queue at once', async () => {
  const questions = new Questions()
  const result = questions.ask('catalog.quote', question, 2_000, routes)
  const id = published[0]?.[2].id ?? ''
  questions.handleReturn(id)
  expect(publishTimes()).toEqual(['queue 0', 'other 0'])
  questions.receiveReplies(reply(id, '1'))
  expect(await result).toBe(1)
})

test('a question without time left gets no reply, and no rejection is unhandled', async () => {
  const slow = { ...routes, toQueue: () => new Promise<void>((resolve) => setTimeout(resolve, 50)) }
  const outcome = new Questions().ask('catalog.quote', question, 0, slow).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  expect(await outcome).toBeInstanceOf(NoReply)
})

test('a question without a connection fails; a question that loses its connection is repeated', async () => {
  const questions = new Questions()
  const refused = { ...routes, toQueue: () => Promise.reject(new Error('planted')) }
  await expect(questions.ask('catalog.quote', question, 2_000, refused)).rejects.toThrow('planted')
  let isConnected = true
  const flaky = {
    ...routes,
    toQueue: (item: Outgoing) => (isConnected ? routes.toQueue(item) : Promise.reject(new Error('planted'))),
  }
  const result = questions.ask('catalog.quote', question, 2_000, flaky)
  isConnected = false
  await vi.advanceTimersByTimeAsync(500)
  isConnected = true
  await vi.advanceTimersByTimeAsync(200)
  expect(publishTimes()).toEqual(['queue 0', 'queue 600', 'other 600'])
  questions.receiveReplies(reply(published[0]?.[2].id, '1'))
  expect(await result).toBe(1)
})
