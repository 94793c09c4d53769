import type { Message } from 'amqplib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { encode, type Outgoing } from '#/message-format.ts'
import { Questions } from '#/questions.ts'
import { Unavailable } from '#/unavailable.ts'

let published: [atMs: number, item: Outgoing][] = []
let startedAt = 0
const publish = async (item: Outgoing) => void published.push([performance.now() - startedAt, item])
const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 50))
const refused = () => Promise.reject(new Error('planted'))
const publishTimes = () => published.map(([atMs]) => atMs)
const question = { json: '{"a":1}', requestId: 'r' }
const reply = (id: string | undefined, json: string) => encode([{ json, id }]) as unknown as Message

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  published = []
  startedAt = performance.now()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('a question is repeated after 0.2, 0.6 and 1.4 s, until its timeout', async () => {
  const questions = new Questions()
  const result = questions.ask('catalog.quote', question, 2_000, publish)
  const outcome = result.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(2_100)
  expect(await outcome).toBeInstanceOf(Unavailable)
  expect(publishTimes()).toEqual([0, 200, 600, 1_400])
  expect(published.map(([, { timeoutMs }]) => timeoutMs)).toEqual([2_000, 1_800, 1_400, 600])
  expect(new Set(published.map(([, { id }]) => id)).size).toBe(1)
})

test('a standstill longer than the timeout fails no question: the question is repeated', async () => {
  const questions = new Questions()
  const result = questions.ask('catalog.quote', question, 2_000, publish)
  const outcome = result.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  // Time passes, but no timer fires.
  vi.spyOn(performance, 'now').mockReturnValue(startedAt + 60_000)
  await vi.advanceTimersByTimeAsync(1_300)
  expect(published.map(([, { timeoutMs }]) => timeoutMs)).toEqual([2_000, 1_800, 1_400, 600])
  await vi.advanceTimersByTimeAsync(600)
  expect(await outcome).toBeInstanceOf(Unavailable)
})

test('the first reply ends a question and its repeats; replies to other questions have no effect', async () => {
  const questions = new Questions()
  const one = questions.ask('catalog.quote', question, 2_000, publish)
  const other = questions.ask('catalog.quote', question, 2_000, publish)
  const [id, otherId] = published.map(([, item]) => item.id)
  await vi.advanceTimersByTimeAsync(200)
  for (const json of ['1', '2']) questions.receiveReplies(reply(id, json))
  expect(await one).toBe(1)
  await vi.advanceTimersByTimeAsync(400)
  expect(published.filter(([, item]) => item.id === id)).toHaveLength(2)
  questions.receiveReplies(reply(otherId, '3'))
  expect(await other).toBe(3)
})

test('a question without time left gets no reply, and no rejection is unhandled', async () => {
  const outcome = new Questions().ask('catalog.quote', question, 0, slow).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  expect(await outcome).toBeInstanceOf(Unavailable)
})

test('a question without a connection fails; a question that loses its connection is repeated', async () => {
  const questions = new Questions()
  await expect(questions.ask('catalog.quote', question, 2_000, refused)).rejects.toThrow('planted')
  let isConnected = true
  const flaky = (item: Outgoing) => (isConnected ? publish(item) : Promise.reject(new Error('planted')))
  const result = questions.ask('catalog.quote', question, 2_000, flaky)
  isConnected = false
  await vi.advanceTimersByTimeAsync(500)
  isConnected = true
  await vi.advanceTimersByTimeAsync(200)
  expect(publishTimes()).toEqual([0, 600])
  questions.receiveReplies(reply(published[0]?.[1].id, '1'))
  expect(await result).toBe(1)
})
