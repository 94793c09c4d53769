import type { Command, Nudge, Question } from '@platter/contracts'
import type { Channel } from 'amqplib'

/**
 * Queues, declared by their owner at each connection. Arguments of a queue never change (RabbitMQ answers
 * 406), so a change of them is a new version in its name. Everything here means the same on RabbitMQ 3.10
 * and 4.x; messages go through the default exchange, by the queue's name.
 */
const VERSION = 'v1'

export const queueOf = ({ name }: Command | Question): string => `${name}.${VERSION}`
export const deadQueueOf = (command: Command): string => `${queueOf(command)}.dead`
export const exchangeOf = ({ name }: Nudge): string => `${name}.${VERSION}`

/** A question that was not answered within this time has no one left who waits for it. */
export const QUESTION_LIFE_MS = 5_000

/**
 * A command waits on a quorum queue: delivered 20 times at most, so that one that kills its consumer ends
 * among the dead letters, which are kept to be looked at. A full queue refuses (the sender's row asks again).
 */
export async function declareCommand(channel: Channel, command: Command): Promise<string> {
  await declareDead(channel, command)
  const { queue } = await channel.assertQueue(queueOf(command), {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': 20,
      'x-overflow': 'reject-publish',
      'x-max-length': 100_000,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': deadQueueOf(command),
      'x-dead-letter-strategy': 'at-least-once',
    },
  })
  return queue
}

/** Where the messages of a command go that could not be handled. */
export async function declareDead(channel: Channel, command: Command): Promise<string> {
  const { queue } = await channel.assertQueue(deadQueueOf(command), {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-max-length': 10_000 },
  })
  return queue
}

/** A question waits in memory on a classic queue (a hop of 0.24 ms there, 0.88 on a quorum queue). */
export async function declareQuestion(channel: Channel, question: Question): Promise<string> {
  const { queue } = await channel.assertQueue(queueOf(question), {
    durable: true,
    arguments: { 'x-message-ttl': QUESTION_LIFE_MS, 'x-max-length': 10_000, 'x-overflow': 'reject-publish' },
  })
  return queue
}

/** A nudge reaches every replica that listens now, each over a queue of its own that ends with its connection. */
export async function declareNudge(channel: Channel, nudge: Nudge): Promise<string> {
  await channel.assertExchange(exchangeOf(nudge), 'fanout', { durable: true })
  const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
  await channel.bindQueue(queue, exchangeOf(nudge), '')
  return queue
}
