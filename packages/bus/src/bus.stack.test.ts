import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { command, event, question, type Command } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { proxyTo, servers, type Proxy } from '@platter/testkit'
import { connect, type ChannelModel, type ConsumeMessage, type Options } from 'amqplib'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { Bus, type DeadLetter } from '#/bus.ts'
import { deadQueueOf, declareCommand, queueOf } from '#/topology.ts'
import { Unavailable } from '#/unavailable.ts'

const log = createLog('test', 'fatal')
const context = { requestId: 'r1' }
/** AMQP's delivery mode. */
const PERSISTENT = 2
const soon = { timeout: 30_000, interval: 50 }
/** The reply timeout of a question that gets a reply, also on a slow machine. */
const longTimeout = { ...context, timeoutMs: 30_000 }

let proxy: Proxy
let bus: Bus
let outside: ChannelModel
const Number1 = z.object({ number: z.int() })

/** Queues outlive a test, so each test has its own names. */
const aCommand = () => command(`orders.${randomUUID()}`, Number1)
const aQuestion = () => question(`catalog.${randomUUID()}`, { data: Number1, reply: Number1 })

beforeEach(async () => {
  proxy = await proxyTo(servers().rabbitmq)
  bus = new Bus({ url: proxy.url, service: 'test', log })
  outside = await connect(servers().rabbitmq)
})

afterEach(async () => {
  await bus.quiesce()
  await bus.close()
  await proxy.close()
  await outside.close()
})

const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)
const connected = () => vi.waitFor(() => bus.check(), soon)
const start = async () => {
  await bus.start()
  await connected()
}

/** Publishes outside of the bus, as another process could. */
async function send(queue: string, content: string, properties: Options.Publish = {}): Promise<void> {
  const channel = await outside.createConfirmChannel()
  channel.publish('', queue, Buffer.from(content), properties)
  await channel.waitForConfirms()
}

async function countMessages(queue: string): Promise<number> {
  const channel = await outside.createChannel()
  const { messageCount } = await channel.checkQueue(queue)
  await channel.close()
  return messageCount
}

/** The messages of a queue without a consumer of its owner. */
async function messagesOf(wanted: Command): Promise<ConsumeMessage[]> {
  const messages: ConsumeMessage[] = []
  const channel = await outside.createChannel()
  await channel.consume(await declareCommand(channel, wanted, 'classic'), (message) => {
    if (message) messages.push(message)
  })
  return messages
}

test('a command is handled once and then removed', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => void handled.push(number))
  await start()
  await bus.publish(wanted, { number: 1 }, context)
  await vi.waitFor(() => expect(handled).toEqual([1]), soon)
  await vi.waitFor(async () => expect(await countMessages(queueOf(wanted, 'classic'))).toBe(0), soon)
})

test('clients reconnect after a lost connection; a publish in between is rejected', async () => {
  const wanted = aCommand()
  const handled = new Set<number>()
  bus.onCommand(wanted, async ({ number }) => void handled.add(number))
  await start()
  for (let round = 0; round < 3; round++) {
    proxy.cut()
    await vi.waitFor(() => expect(bus.check()).rejects.toThrow(/connect|ECONN|closed|clos/i), soon)
    await expect(bus.publish(wanted, { number: 99 }, context)).rejects.toBeInstanceOf(Unavailable)
    proxy.restore()
    await connected()
    await bus.publish(wanted, { number: round }, context)
    await vi.waitFor(() => expect(handled).toContain(round), soon)
  }
})

test('the bus connects to the next node after a lost connection, round its list', async () => {
  const other = await proxyTo(servers().rabbitmq)
  const clustered = new Bus({ url: [proxy.url, other.url], service: 'test', log })
  const isConnected = () => vi.waitFor(() => clustered.check(), soon)
  const isLost = () =>
    vi.waitFor(() => expect(clustered.check()).rejects.toThrow(/RabbitMQ|conn|ECONN|clos/), soon)
  await clustered.start()
  await isConnected()
  proxy.cut()
  await isLost()
  await isConnected()
  proxy.restore()
  other.cut()
  await isLost()
  await isConnected()
  await clustered.close()
  await other.close()
})

test('a message whose connection is cut during its handler is redelivered; its late acknowledgement has no effect', async () => {
  const wanted = aCommand()
  const release = Promise.withResolvers<void>()
  const deliveries: number[] = []
  bus.onCommand(wanted, async ({ number }) => {
    deliveries.push(number)
    if (deliveries.length === 1) await release.promise
  })
  await start()
  await bus.publish(wanted, { number: 7 }, context)
  await vi.waitFor(() => expect(deliveries).toHaveLength(1), soon)
  proxy.cut()
  proxy.restore()
  await vi.waitFor(() => expect(deliveries).toHaveLength(2), soon)
  release.resolve()
  await connected()
  await bus.publish(wanted, { number: 8 }, context)
  await vi.waitFor(() => expect(deliveries).toEqual([7, 7, 8]), soon)
})

test('a message that crashes its consumer is delivered twice, and then removed', async () => {
  const wanted = aCommand()
  const release = Promise.withResolvers<void>()
  let deliveries = 0
  bus.onCommand(wanted, async () => {
    deliveries += 1
    // For RabbitMQ, a cut connection equals a crash.
    proxy.cut()
    proxy.restore()
    await release.promise
  })
  await start()
  await bus.publish(wanted, { number: 1 }, context)
  await vi.waitFor(() => expect(deliveries).toBe(2), soon)
  await vi.waitFor(async () => {
    await bus.check()
    expect(await countMessages(queueOf(wanted, 'classic'))).toBe(0)
  }, soon)
  const reader = await messagesOf(wanted)
  expect([deliveries, reader.length]).toEqual([2, 0])
  release.resolve()
})

test('a queue that is deleted under its consumer is declared again', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => void handled.push(number))
  await start()
  await (await outside.createChannel()).deleteQueue(queueOf(wanted, 'classic'))
  await vi.waitFor(async () => {
    await bus.publish(wanted, { number: 1 }, context)
    expect(handled.length).toBeGreaterThan(0)
  }, soon)
})

test('commands of one turn share a transient message; a later one has a message of its own', async () => {
  const wanted = aCommand()
  const messages = await messagesOf(wanted)
  await start()
  await Promise.all([1, 2, 3].map((number) => bus.publish(wanted, { number }, { requestId: `r${number}` })))
  await bus.publish(wanted, { number: 4 }, { requestId: 'r4' })
  await vi.waitFor(() => expect(messages).toHaveLength(2), soon)
  const [three, one] = messages
  expect(JSON.parse(String(three?.content))).toEqual(
    [1, 2, 3].map((number) => ({ requestId: `r${number}`, data: { number } })),
  )
  expect(String(one?.content)).toBe('{"number":4}')
  expect(one?.properties.headers).toMatchObject({ 'x-request-id': 'r4' })
  for (const message of messages) expect(message.properties.deliveryMode).not.toBe(PERSISTENT)
})

test('commands with batchDelayMs share a message', async () => {
  const wanted = aCommand()
  const messages = await messagesOf(wanted)
  await start()
  const batched = (number: number) => bus.publish(wanted, { number }, { ...context, batchDelayMs: 100 })
  const first = batched(1)
  await wait(20)
  await Promise.all([first, batched(2)])
  await vi.waitFor(() => expect(messages).toHaveLength(1), soon)
  const numbers = messages.map(({ content }) =>
    (JSON.parse(String(content)) as { data: unknown }[]).map(({ data }) => data),
  )
  expect(numbers).toEqual([[{ number: 1 }, { number: 2 }]])
})

test('batched commands are published before the bus closes', async () => {
  const wanted = aCommand()
  const messages = await messagesOf(wanted)
  await start()
  const published = bus.publish(wanted, { number: 1 }, { ...context, batchDelayMs: 60_000 })
  await bus.close()
  await published
  await vi.waitFor(() => expect(messages).toHaveLength(1), soon)
})

test('at most `concurrency` commands run, however many share a message; after a stop the rest is redelivered', async () => {
  const wanted = aCommand()
  const release = Promise.withResolvers<void>()
  const handled: number[] = []
  const handle = async ({ number }: { number: number }) => {
    handled.push(number)
    await release.promise
  }
  bus.onCommand(wanted, handle, { concurrency: 2 })
  await start()
  await Promise.all([1, 2, 3, 4, 5].map((number) => bus.publish(wanted, { number }, context)))
  await vi.waitFor(() => expect(handled).toEqual([1, 2]), soon)
  const stopped = bus.quiesce()
  release.resolve()
  await stopped
  await bus.close()
  expect(handled).toEqual([1, 2])
  bus = new Bus({ url: proxy.url, service: 'test', log })
  bus.onCommand(wanted, handle, { concurrency: 2 })
  await start()
  await vi.waitFor(() => expect(sorted(handled)).toEqual([1, 1, 2, 2, 3, 4, 5]), soon)
})

test('a command whose handler fails because the process ends is redelivered, and becomes no dead letter', async () => {
  const wanted = aCommand()
  const ending = Promise.withResolvers<void>()
  let deliveries = 0
  bus.onCommand(wanted, async () => {
    deliveries += 1
    await ending.promise
    throw new Error('the database was closed')
  })
  await start()
  await bus.publish(wanted, { number: 1 }, context)
  await vi.waitFor(() => expect(deliveries).toBe(1), soon)
  // The handler takes longer than `quiesce` waits.
  await bus.quiesce()
  const closed = bus.close()
  ending.resolve()
  await closed
  await vi.waitFor(async () => expect(await countMessages(queueOf(wanted, 'classic'))).toBe(1), soon)
  expect(await countMessages(deadQueueOf(wanted))).toBe(0)
})

test('a stopping process consumes nothing over a new connection', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => void handled.push(number))
  await start()
  await bus.quiesce()
  proxy.cut()
  await vi.waitFor(() => expect(bus.check()).rejects.toThrow(/RabbitMQ|conn|ECONN|clos/), soon)
  proxy.restore()
  await connected()
  await send(queueOf(wanted, 'classic'), '{"number":1}')
  await vi.waitFor(async () => expect(await countMessages(queueOf(wanted, 'classic'))).toBe(1), soon)
  expect(handled).toEqual([])
})

test('only failed and invalid commands of a batch become dead letters, not ECONNREFUSED', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  bus.onCommand(wanted, async ({ number }) => {
    if (number === 2) throw new Error('planted')
    if (number === 3) throw Object.assign(new Error('planted'), { code: 'ECONNREFUSED' })
    handled.push(number)
  })
  const deadLetters: DeadLetter[] = []
  bus.onDeadLetter(wanted, async (deadLetter) => void deadLetters.push(deadLetter))
  await start()
  const any = { ...wanted, data: z.any() }
  const published = [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 'four' }, { number: 5 }]
  await Promise.all(published.map((data, at) => bus.publish(any, data, { requestId: `r${at + 1}` })))
  await vi.waitFor(() => expect(handled).toEqual([1, 5]), soon)
  await vi.waitFor(() => expect(deadLetters).toHaveLength(2), soon)
  const descriptions = deadLetters.map(({ content, requestId }) => `${requestId} ${String(content)}`)
  expect(descriptions.toSorted()).toEqual(['r2 {"number":2}', 'r4 {"number":"four"}'])
  await vi.waitFor(async () => expect(await countMessages(queueOf(wanted, 'classic'))).toBe(0), soon)
})

test('a message of arbitrary bytes becomes a dead letter with these bytes', async () => {
  const wanted = aCommand()
  bus.onCommand(wanted, async () => undefined)
  const deadLetters: string[] = []
  bus.onDeadLetter(wanted, async ({ content }) => void deadLetters.push(String(content)))
  await start()
  await send(queueOf(wanted, 'classic'), '{"number":')
  await send(queueOf(wanted, 'classic'), 'no batch', { type: 'batch' })
  await vi.waitFor(() => expect(deadLetters.toSorted()).toEqual(['no batch', '{"number":']), soon)
})

test('a dead letter is persistent, acknowledged once its bytes are stored, and can be republished', async () => {
  const wanted = aCommand()
  const handled: number[] = []
  const state = { works: false, keeps: false, attempts: 0 }
  // Its connection stays whole: a command whose acknowledgement is lost is handled again, and becomes a second dead letter. The
  // consumer of dead letters may receive the first one before that acknowledgement.
  const other = new Bus({ url: servers().rabbitmq, service: 'test', log })
  onTestFinished(() => other.close())
  other.onCommand(wanted, async ({ number }) => {
    if (!state.works) throw new Error('planted')
    handled.push(number)
  })
  await other.start()
  await vi.waitFor(() => other.check(), soon)
  const deadLetters: DeadLetter[] = []
  bus.onDeadLetter(wanted, async (deadLetter) => {
    state.attempts += 1
    if (!state.keeps) throw new Error('planted')
    deadLetters.push(deadLetter)
  })
  await start()
  await bus.publish(wanted, { number: 5 }, context)
  const dead = deadQueueOf(wanted)
  await vi.waitFor(() => expect(state.attempts).toBeGreaterThan(0), soon)
  // Its consumer cannot store it, so it stays in the queue for the next one.
  proxy.cut()
  await vi.waitFor(async () => expect(await countMessages(dead)).toBe(1), soon)
  const channel = await outside.createChannel()
  const message = await channel.get(dead)
  expect(message && message.properties.deliveryMode).toBe(PERSISTENT)
  if (message) channel.nack(message)
  state.keeps = true
  proxy.restore()
  await vi.waitFor(() => expect(deadLetters).toHaveLength(1), soon)
  const [deadLetter] = deadLetters
  expect(deadLetter).toMatchObject({ requestId: 'r1' })
  expect(deadLetter?.content.toString()).toBe('{"number":5}')
  await vi.waitFor(async () => expect(await countMessages(dead)).toBe(0), soon)
  state.works = true
  await connected()
  await bus.republish(wanted, deadLetter!)
  await vi.waitFor(() => expect(handled).toEqual([5]), soon)
})

test('a dead letter is not republished to a queue that does not exist', async () => {
  await start()
  const deadLetter = { content: Buffer.from('{"number":1}'), requestId: 'r1' }
  await expect(bus.republish(aCommand(), deadLetter)).rejects.toBeInstanceOf(Unavailable)
})

test('a question without a consumer gets no reply', async () => {
  await start()
  const reply = bus.ask(aQuestion(), { number: 1 }, { ...context, timeoutMs: 1_000 })
  await expect(reply).rejects.toBeInstanceOf(Unavailable)
})

test('each of 100 concurrent questions gets its own reply', async () => {
  const double = aQuestion()
  bus.onQuestion(double, async ({ number }) => ({ number: number * 2 }))
  await start()
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, number) => bus.ask(double, { number }, longTimeout)),
  )
  expect(replies.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, number) => number * 2))
})

test('questions of one turn share a message; a failed one does not affect the replies to the others', async () => {
  const double = aQuestion()
  /** The turn in which each question was first handled. After 0.2 s a question is repeated in a message of its own. */
  const turns = new Map<number, number>()
  let turn = 0
  bus.onQuestion(double, async ({ number }) => {
    setImmediate(() => (turn += 1))
    if (!turns.has(number)) turns.set(number, turn)
    if (number === 2) throw new Error('planted')
    return { number: number * 2 }
  })
  await start()
  const replies = await Promise.allSettled([
    bus.ask(double, { number: 1 }, longTimeout),
    bus.ask(double, { number: 2 }, { ...context, timeoutMs: 1_000 }),
    bus.ask(double, { number: 3 }, longTimeout),
  ])
  expect(replies.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect([...turns.values()]).toEqual([0, 0, 0])
})

test('a question whose first consumer does not reply gets the reply of the next one', async () => {
  const double = aQuestion()
  const other = new Bus({ url: servers().rabbitmq, service: 'other', log })
  const release = Promise.withResolvers<void>()
  let handled = 0
  const handler = async ({ number }: { number: number }) => {
    if (++handled === 1) await release.promise
    return { number: number * 2 }
  }
  bus.onQuestion(double, handler)
  other.onQuestion(double, handler)
  await start()
  await other.start()
  expect(await bus.ask(double, { number: 21 }, longTimeout)).toEqual({ number: 42 })
  // Three times when the reply takes longer than the repeat interval.
  expect(handled).toBeGreaterThan(1)
  release.resolve()
  await other.close()
})

test('a question that is repeated while its handler runs is not handled concurrently', async () => {
  const slow = aQuestion()
  const seen = { running: 0, mostRunning: 0 }
  bus.onQuestion(slow, async (data) => {
    seen.mostRunning = Math.max(seen.mostRunning, (seen.running += 1))
    // Repeated after 0.2 and 0.6 s.
    await wait(800)
    seen.running -= 1
    return data
  })
  await start()
  await bus.ask(slow, { number: 1 }, longTimeout)
  expect(seen.mostRunning).toBe(1)
})

test('while BUS_QUEUES is changed, replicas of both queue types consume and publish the same messages', async () => {
  const wanted = aCommand()
  const double = aQuestion()
  const handled: number[] = []
  const other = new Bus({ url: servers().rabbitmq, service: 'other', log, queues: 'quorum' })
  other.onCommand(wanted, async ({ number }) => void handled.push(number))
  other.onQuestion(double, async ({ number }) => ({ number: number * 2 }))
  await other.start()
  await start()
  // The queues of the type of `bus` do not exist yet.
  expect(await bus.ask(double, { number: 4 }, longTimeout)).toEqual({ number: 8 })
  await Promise.all([1, 2].map((number) => bus.publish(wanted, { number }, context)))
  await vi.waitFor(() => expect(sorted(handled)).toEqual([1, 2]), soon)
  await other.close()
  // The last messages of the other type wait in its queue for a replica of this one.
  await send(queueOf(wanted, 'quorum'), '{"number":3}')
  const last = new Bus({ url: servers().rabbitmq, service: 'last', log })
  last.onCommand(wanted, async ({ number }) => void handled.push(number))
  await last.start()
  await vi.waitFor(() => expect(handled).toContain(3), soon)
  await last.close()
})

test('a publisher reconnects after RabbitMQ has rejected a message', async () => {
  const wanted = aCommand()
  const publisher = new Bus({ url: servers().rabbitmq, service: 'publisher', log, queues: 'quorum' })
  const channel = await outside.createChannel()
  // Without a consumer the queue is full after one message.
  const isFull = { 'x-queue-type': 'quorum', 'x-max-length': 1, 'x-overflow': 'reject-publish' }
  await channel.assertQueue(queueOf(wanted, 'quorum'), { durable: true, arguments: isFull })
  await publisher.start()
  await vi.waitFor(async () => {
    await Promise.allSettled([publisher.publish(wanted, { number: 1 }, context)])
    await expect(publisher.check()).rejects.toThrow('RabbitMQ rejected a message')
  }, soon)
  await vi.waitFor(() => publisher.check(), soon)
  await publisher.close()
})

test('an event reaches every replica', async () => {
  const moved = event(`orders.${randomUUID()}`, Number1)
  const other = new Bus({ url: servers().rabbitmq, service: 'other', log })
  const received: string[] = []
  bus.onEvent(moved, ({ number }) => void received.push(`one ${number}`))
  other.onEvent(moved, ({ number }) => void received.push(`other ${number}`))
  await start()
  await other.start()
  await vi.waitFor(() => other.check(), soon)
  for (const number of [1, 2]) bus.publishEvent(moved, { number })
  await vi.waitFor(() => expect(received.toSorted()).toEqual(['one 1', 'one 2', 'other 1', 'other 2']), soon)
  await other.close()
})

test('while a dependency is unavailable, a message is one short line of the log, without a stack trace', async () => {
  const lines: string[] = []
  const ownLog = createLog('test', 'warn', { write: (line: string) => void lines.push(line) })
  const own = new Bus({ url: proxy.url, service: 'test', log: ownLog })
  onTestFinished(() => own.close())
  const wanted = aCommand()
  own.onCommand(wanted, () => Promise.reject(new Error('Query read timeout')))
  await Promise.all([own.start(), start()])
  await bus.publish(wanted, { number: 1 }, context)
  const line = await vi.waitUntil(() => lines.find((one) => one.includes('is unavailable')), soon)
  expect(line).toMatch(/"warn".*"reason":"Query read timeout"(?!.*stack)/)
})
