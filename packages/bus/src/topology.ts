import type { Command, Event, Question } from '@platter/contracts'
import type { Channel } from 'amqplib'

/** A classic queue is on one node. A cluster needs quorum queues to survive the loss of a node. */
export type QueueType = 'classic' | 'quorum'

/**
 * The consuming service declares its queues at each connection. RabbitMQ rejects changed arguments (406), so changed arguments need
 * a new version in the queue's name. The queue type is configured, so each type has its own version. The permissions of a user
 * (dev/servers/rabbitmq-users.ts) cover all versions. This file behaves the same on RabbitMQ 3.10 and 4.x. Messages are published
 * to the default exchange with the queue's name as routing key.
 */
const VERSIONS: Readonly<Record<QueueType, string>> = { classic: 'v2', quorum: 'v3' }
const EVENT_VERSION = 'v2'

export const queueOf = ({ name }: Command | Question, type: QueueType): string => `${name}.${VERSIONS[type]}`

/** Returns the queue of replicas that are configured for the other type. It exists only while BUS_QUEUES is changed. */
export function otherQueueOf(queue: string): string {
  const { classic, quorum } = VERSIONS
  const [own, other] = queue.endsWith(`.${classic}`) ? [classic, quorum] : [quorum, classic]
  return queue.slice(0, -own.length) + other
}

/** Dead-letter queues have not changed since v1. */
export const deadQueueOf = ({ name }: Command): string => `${name}.v1.dead`
export const exchangeOf = ({ name }: Event): string => `${name}.${EVENT_VERSION}`

/** In milliseconds. No caller waits longer for a reply. */
const QUESTION_TTL_MS = 5_000

/** A full queue drops its oldest message. The sweeper has most likely republished that command already. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Declares the queue of a command. It has no dead-letter exchange: the consumer publishes each item that it cannot handle. It needs
 * no delivery limit, which classic queues do not have: a redelivered message is acknowledged before it is handled.
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

/**
 * Declares the queue for commands that cannot be handled. It survives the loss of a node, because dead letters have no row to
 * republish them. RabbitMQ 4 deletes a message of a quorum queue that was returned 20 times. A dead letter is returned when its
 * connection ends before it is stored, so that needs 20 lost connections while PostgreSQL is unavailable.
 */
export function declareDead(channel: Channel, command: Command): Promise<string> {
  return declare(channel, deadQueueOf(command), { 'x-queue-type': 'quorum', 'x-max-length': 10_000 })
}

export const declareExchange = (channel: Channel, event: Event) =>
  channel.assertExchange(exchangeOf(event), 'fanout', { durable: true })

/** Declares a fanout exchange with an exclusive queue for each connected replica. The queue is deleted with its connection. */
export async function declareEvent(channel: Channel, event: Event): Promise<string> {
  await declareExchange(channel, event)
  const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
  await channel.bindQueue(queue, exchangeOf(event), '')
  return queue
}

/** Queues are durable even for transient messages: RabbitMQ 4 deprecates transient non-exclusive queues. */
async function declare(channel: Channel, name: string, args: Record<string, unknown>): Promise<string> {
  const { queue } = await channel.assertQueue(name, { durable: true, arguments: args })
  return queue
}
