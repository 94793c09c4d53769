import { randomUUID } from 'node:crypto'
import { command, nudge, question } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { proxyTo, servers, type Proxy } from '@platter/testkit'
import { connect } from 'amqplib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Bus, deadQueueOf, NoAnswer, NotConfirmed, queueOf, type DeadLetter } from './index.ts'

const log = createLog('test', 'fatal')
const context = { requestId: 'r1' }
const soon = { timeout: 20_000, interval: 50 }

let proxy: Proxy
let bus: Bus
const Number1 = z.object({ number: z.int() })

/** Names of its own for each test: queues stay. */
const aCommand = () => command(`test.${randomUUID()}`, 'orders', Number1)

beforeEach(async () => {
  proxy = await proxyTo(servers().rabbitmq)
  bus = new Bus({ url: proxy.url, service: 'test', log })
})

afterEach(async () => {
  await bus.quiesce()
  await bus.close()
  await proxy.close()
})

const connected = () => vi.waitFor(() => bus.check(), soon)

test('a command is handled once and then forgotten', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => void handled.push(number))
  await bus.start()
  await connected()
  await bus.publish(wanted, { number: 1 }, context)
  await vi.waitFor(() => expect(handled).toEqual([1]), soon)
})

test('after a cut, consumers and publishers are back by themselves, and what was not confirmed is said to be so', async () => {
  const wanted = aCommand()
  const handled = new Set<number>()
  bus.onCommand(wanted, async ({ number }) => void handled.add(number))
  await bus.start()
  await connected()
  for (let round = 0; round < 3; round++) {
    await bus.publish(wanted, { number: round }, context)
    proxy.cut()
    await vi.waitFor(() => expect(bus.check()).rejects.toThrow(/connect|ECONN|closed|clos/i), soon)
    await expect(bus.publish(wanted, { number: 99 }, context)).rejects.toBeInstanceOf(NotConfirmed)
    proxy.mend()
    await connected()
  }
  await bus.publish(wanted, { number: 3 }, context)
  await vi.waitFor(() => expect(handled).toEqual(new Set([0, 1, 2, 3])), soon)
})

test('a message in hand when the connection is cut comes again, and its late ack harms nobody', async () => {
  const wanted = aCommand()
  const release = Promise.withResolvers<void>()
  const deliveries: { number: number; redelivered: boolean }[] = []
  bus.onCommand(wanted, async ({ number }, { redelivered }) => {
    deliveries.push({ number, redelivered })
    if (!redelivered) await release.promise
  })
  await bus.start()
  await connected()
  await bus.publish(wanted, { number: 7 }, context)
  await vi.waitFor(() => expect(deliveries).toHaveLength(1), soon)
  proxy.cut()
  proxy.mend()
  await vi.waitFor(() => expect(deliveries).toHaveLength(2), soon)
  release.resolve()
  await connected()
  await bus.publish(wanted, { number: 8 }, context)
  await vi.waitFor(() => expect(deliveries.map(({ number }) => number)).toEqual([7, 7, 8]), soon)
})

test('a queue that is deleted under its consumer is declared again', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => void handled.push(number))
  await bus.start()
  await connected()
  const outside = await connect(servers().rabbitmq)
  await (await outside.createChannel()).deleteQueue(queueOf(wanted))
  await vi.waitFor(async () => {
    await bus.publish(wanted, { number: 1 }, context)
    expect(handled.length).toBeGreaterThan(0)
  }, soon)
  await outside.close()
})

test('what cannot be read, and what a handler fails on, is kept among the dead letters', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => {
    handled.push(number)
    throw new Error('planted')
  })
  await bus.start()
  await connected()
  await bus.publish(wanted, { number: 1 }, context)
  await bus.publish({ ...wanted, data: z.any() }, { number: 'one' }, context)
  const outside = await connect(servers().rabbitmq)
  const channel = await outside.createChannel()
  await vi.waitFor(
    async () => expect((await channel.checkQueue(deadQueueOf(wanted))).messageCount).toBe(2),
    soon,
  )
  expect(handled).toEqual([1])
  await outside.close()
})

test('dead letters are taken once they are kept, byte for byte and with the reason, and can be said again', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  const state = { works: false, keeps: false }
  bus.onCommand(wanted, async ({ number }) => {
    if (!state.works) throw new Error('planted')
    handled.push(number)
  })
  const letters: DeadLetter[] = []
  bus.onDeadLetter(wanted, async (letter) => {
    if (!state.keeps) throw new Error('planted')
    letters.push(letter)
  })
  await bus.start()
  await connected()
  await bus.publish(wanted, { number: 5 }, context)
  const outside = await connect(servers().rabbitmq)
  const channel = await outside.createChannel()
  const left = async () => (await channel.checkQueue(deadQueueOf(wanted))).messageCount
  // It is in the hands of the one who cannot keep it, and stays in the queue for the next one.
  await vi.waitFor(async () => expect((await channel.checkQueue(queueOf(wanted))).messageCount).toBe(0), soon)
  state.keeps = true
  proxy.cut()
  proxy.mend()
  await vi.waitFor(() => expect(letters).toHaveLength(1), soon)
  const [letter] = letters
  expect(letter).toMatchObject({
    requestId: 'r1',
    reason: expect.stringContaining('handler failed') as string,
  })
  expect(letter?.content.toString()).toBe('{"number":5}')
  await vi.waitFor(async () => expect(await left()).toBe(0), soon)
  state.works = true
  await connected()
  await bus.publishAgain(wanted, letter!)
  await vi.waitFor(() => expect(handled).toEqual([5]), soon)
  await outside.close()
})

test('a command that nobody takes is not confirmed; a question that nobody takes is not answered', async () => {
  await bus.start()
  await connected()
  await expect(bus.publish(aCommand(), { number: 1 }, context)).rejects.toBeInstanceOf(NotConfirmed)
  const unheard = question(`test.${randomUUID()}`, 'catalog', { data: Number1, answer: Number1 })
  await expect(bus.ask(unheard, { number: 1 }, { ...context, timeoutMs: 5_000 })).rejects.toBeInstanceOf(
    NoAnswer,
  )
})

test('a question is answered to the one who asked', async () => {
  const double = question(`test.${randomUUID()}`, 'catalog', { data: Number1, answer: Number1 })
  bus.onQuestion(double, async ({ number }) => ({ number: number * 2 }))
  await bus.start()
  await connected()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, number) => bus.ask(double, { number }, { ...context, timeoutMs: 5_000 })),
  )
  expect(answers.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, number) => number * 2))
})

test('a question that dies with its first reader is asked once more', async () => {
  const double = question(`test.${randomUUID()}`, 'catalog', { data: Number1, answer: Number1 })
  const dead = Promise.withResolvers<void>()
  let asked = 0
  bus.onQuestion(double, async ({ number }) => {
    if (++asked === 1) await dead.promise
    return { number: number * 2 }
  })
  await bus.start()
  await connected()
  expect(await bus.ask(double, { number: 21 }, { ...context, timeoutMs: 5_000 })).toEqual({ number: 42 })
  expect(asked).toBe(2)
  dead.resolve()
})

test('a nudge reaches every replica', async () => {
  const moved = nudge(`test.${randomUUID()}`, 'orders', Number1)
  const other = new Bus({ url: servers().rabbitmq, service: 'other', log })
  const heard: string[] = []
  bus.onNudge(moved, () => void heard.push('one'))
  other.onNudge(moved, () => void heard.push('other'))
  await bus.start()
  await other.start()
  await connected()
  await vi.waitFor(() => other.check(), soon)
  bus.nudge(moved, { number: 1 })
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(['one', 'other']), soon)
  await other.close()
})
