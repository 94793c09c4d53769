import { messages, type Message } from '@platter/contracts'
import { servers } from '@platter/testkit'
import { connect, type Channel, type ChannelModel } from 'amqplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deadQueueOf, declareCommand, declareQuestion, exchangeOf, queueOf } from '#/topology.ts'

const TYPES = ['classic', 'quorum'] as const

/* Each service has its own user in RabbitMQ, which cannot consume from the queues of another service. */

const { users } = servers()
const services = Object.keys(users ?? {})
const connections: Record<string, ChannelModel> = {}

/** RabbitMQ's response, on a channel of its own, because a rejection closes the channel. */
async function attempt(service: string, work: (channel: Channel) => Promise<unknown>): Promise<string> {
  const channel = await connections[service]?.createChannel()
  if (!channel) throw new Error(`${service} is not connected`)
  const closed = new Promise<string>((resolve) =>
    channel.on('error', (error: Error) => resolve(error.message)),
  )
  const done = async () => {
    await work(channel)
    // A publish has no response: the response to this method arrives after a rejection.
    await channel.prefetch(1)
    return 'done'
  }
  const outcome = await Promise.race([closed, done().catch(async () => closed)])
  if (outcome === 'done') await channel.close()
  return outcome
}

/** Declares the queues or the exchange of a message as its owner. */
async function declare(message: Message): Promise<void> {
  const channel = await connections[message.owner]?.createChannel()
  if (!channel) throw new Error(`${message.owner} is not connected`)
  if (message.kind === 'command') for (const type of TYPES) await declareCommand(channel, message, type)
  else if (message.kind === 'question')
    for (const type of TYPES) await declareQuestion(channel, message, type)
  else await channel.assertExchange(exchangeOf(message), 'fanout', { durable: true })
  await channel.close()
}

const REFUSED = expect.stringContaining('ACCESS_REFUSED') as string

// External servers and those in containers have only their default user.
describe.skipIf(users === null)('RabbitMQ users of the services', () => {
  beforeAll(async () => {
    // Without noDelay each rejection takes 40 ms (Nagle's algorithm and a delayed acknowledgement): 21 s in total instead of 1 s.
    for (const service of services)
      connections[service] = await connect(users?.[service] ?? '', { noDelay: true })
    for (const message of messages) await declare(message)
  })

  afterAll(async () => {
    await Promise.all(Object.values(connections).map((connection) => connection.close()))
  })

  const queues = messages.flatMap((message): { queue: string; owner: string }[] =>
    message.kind === 'event'
      ? []
      : TYPES.map((type) => ({ queue: queueOf(message, type), owner: message.owner })),
  )
  const foreign = services.flatMap((service) =>
    queues.filter(({ owner }) => owner !== service).map(({ queue }) => [service, queue] as const),
  )

  test.each(foreign)('%s can neither consume, purge, delete nor declare %s', async (service, queue) => {
    const refused = [
      (channel: Channel) => channel.consume(queue, () => undefined),
      (channel: Channel) => channel.get(queue),
      (channel: Channel) => channel.purgeQueue(queue),
      (channel: Channel) => channel.deleteQueue(queue),
      (channel: Channel) => channel.assertQueue(queue, { durable: true }),
    ]
    for (const work of refused) expect(await attempt(service, work)).toEqual(REFUSED)
  })

  const dead = messages.flatMap((message) => (message.kind === 'command' ? [deadQueueOf(message)] : []))
  test.each(dead)('only orders and the owner may consume the dead letters of %s', async (queue) => {
    for (const service of services) {
      const isAllowed = service === 'orders' || queue.startsWith(`${service}.`)
      const outcome = await attempt(service, (channel) => channel.get(queue, { noAck: false }))
      expect([service, outcome]).toEqual([service, isAllowed ? 'done' : REFUSED])
    }
  })

  const events = messages.flatMap((message) => (message.kind === 'event' ? [message] : []))
  test.each(events)('only $owner may publish to the exchange of $name, or delete it', async (event) => {
    const exchange = exchangeOf(event)
    for (const service of services.filter((name) => name !== event.owner)) {
      const publish = async (channel: Channel) => channel.publish(exchange, '', Buffer.from('{}'))
      expect(await attempt(service, publish)).toEqual(REFUSED)
      expect(await attempt(service, (channel) => channel.deleteExchange(exchange))).toEqual(REFUSED)
    }
  })

  test('no service may declare a queue or an exchange with an unknown prefix', async () => {
    for (const service of services) {
      expect(await attempt(service, (channel) => channel.assertQueue('mallory'))).toEqual(REFUSED)
      expect(await attempt(service, (channel) => channel.assertExchange('mallory', 'fanout'))).toEqual(
        REFUSED,
      )
    }
  })

  test('the user guest cannot log in', async () => {
    const url = new URL(servers().rabbitmq)
    url.username = url.password = 'guest'
    await expect(connect(url.href)).rejects.toThrow(/ACCESS[_-]REFUSED|403|closed/i)
  })
})
