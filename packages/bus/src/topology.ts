import type { Command, Event, Question } from '@platter/contracts'
import type { Channel } from 'amqplib'

/** Classic queues live on one node. A cluster that has to survive the loss of a node needs quorum queues. */
export type QueueType = 'classic' | 'quorum'

/**
 * Owners declare their queues at each connection. RabbitMQ rejects changed arguments (406), so a change of them is a new version
 * in the name. The type is configured, so each type has its versions. The permissions of a user (dev/servers/rabbitmq-users.ts)
 * cover all versions. Everything here behaves the same on RabbitMQ 3.10 and 4.x.
 * Messages go through the default exchange, by the name of the queue.
 */
const VERSIONS: Readonly<Record<QueueType, string>> = { classic: 'v2', quorum: 'v3' }
const EVENT_VERSION = 'v2'

export const queueOf = ({ name }: Command | Question, type: QueueType): string => `${name}.${VERSIONS[type]}`

/** The queue of replicas that are configured for the other type. It exists only while BUS_QUEUES is changed. */
export const otherQueueOf = (message: Command | Question, type: QueueType): string =>
  queueOf(message, type === 'classic' ? 'quorum' : 'classic')

/** Queues for dead letters have not changed since v1. */
export const deadQueueOf = ({ name }: Command): string => `${name}.v1.dead`
export const exchangeOf = ({ name }: Event): string => `${name}.${EVENT_VERSION}`

/** Milliseconds. No caller waits longer for a reply. */
const QUESTION_TTL_MS = 5_000

/** A full queue drops its oldest message, whose row has most likely been republished already. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * No dead-letter exchange: the consumer publishes each item that it cannot handle. No delivery limit either, which classic
 * queues do not have: a redelivered message is acknowledged before it is handled.
 */
export async function declareCommand(channel: Channel, command: Command, type: QueueType): Promise<string> {
  await declareDead(channel, command)
  return declare(channel, queueOf(command, type), { 'x-queue-type': type, 'x-max-length-bytes': MAX_BYTES })
}

export function declareQuestion(channel: Channel, question: Question, type: QueueType): Promise<string> {
  return declare(channel, queueOf(question, type), {
    'x-queue-type': type,
    'x-max-length-bytes': MAX_BYTES,
    'x-message-ttl': QUESTION_TTL_MS,
  })
}

/** Commands that cannot be handled. Nothing republishes them for the operator, so they survive the loss of a node. */
export function declareDead(channel: Channel, command: Command): Promise<string> {
  return declare(channel, deadQueueOf(command), { 'x-queue-type': 'quorum', 'x-max-length': 10_000 })
}

/** An event reaches every connected replica over an exclusive queue, which ends with its connection. */
export async function declareEvent(channel: Channel, event: Event): Promise<string> {
  await channel.assertExchange(exchangeOf(event), 'fanout', { durable: true })
  const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
  await channel.bindQueue(queue, exchangeOf(event), '')
  return queue
}

/** Durable also where the messages are transient: RabbitMQ 4 deprecates transient queues that are not exclusive. */
async function declare(channel: Channel, name: string, args: Record<string, unknown>): Promise<string> {
  const { queue } = await channel.assertQueue(name, { durable: true, arguments: args })
  return queue
}
