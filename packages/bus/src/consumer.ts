import { inEntry, isAway, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import { KeptConnection } from './kept-connection.ts'
import { processing } from './spans.ts'

export type Delivery = {
  content: Buffer
  requestId: string
  redelivered: boolean
  headers: Record<string, unknown>
}

export type Consumption = {
  name: string
  declare(channel: Channel): Promise<string>
  prefetch: number
  /** What to do with a message. A rejection puts it among the dead letters, unless something was only away. */
  handle(delivery: Delivery, reply: (content: Buffer) => void): Promise<void>
  noAck?: boolean
  /** A message whose handler fails is neither acked nor rejected: it comes again with the next connection. */
  keeps?: boolean
}

/** A handler that is cut off (a call to the processor may take 6 s) is no loss: its message is delivered again elsewhere. */
const HANDLERS_END_WITHIN_MS = 5_000

type Tag = { channel: Channel; consumerTag: string; queue: string }
type Session = { tags: Tag[] }

/** How many messages wait in a queue. */
type Depth = { queue: string; waiting: number }

/** Takes messages from queues, over a connection of its own, one channel a queue. */
export class Consumer {
  readonly connection: KeptConnection<Session>
  readonly #consumptions: Consumption[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #log: Log

  constructor(url: string, service: string, log: Log) {
    this.#log = log
    this.connection = new KeptConnection({
      url,
      name: `${service} consume`,
      setUp: (model, broken) => this.#setUp(model, broken),
      log,
    })
  }

  add(consumption: Consumption): void {
    this.#consumptions.push(consumption)
  }

  /** Of the queues that are consumed here. Rejects without a connection. */
  depths(): Promise<Depth[]> {
    const { tags } = this.connection.get()
    // A queue of a nudge has a name that RabbitMQ made up.
    const named = tags.filter(({ queue }) => !queue.startsWith('amq.'))
    const measured = named.map(async ({ channel, queue }) => {
      const { messageCount: waiting } = await channel.checkQueue(queue)
      return { queue, waiting }
    })
    return Promise.all(measured)
  }

  /** Takes no more messages, and waits for those in hand. */
  async quiesce(): Promise<void> {
    const { tags } = this.connection.session ?? { tags: [] }
    const cancelled = Promise.all(
      tags.map(({ channel, consumerTag }) =>
        channel.cancel(consumerTag).catch(() => 'the connection is gone, and the consumer with it'),
      ),
    )
    const late = new Promise<void>((resolve) => setTimeout(resolve, HANDLERS_END_WITHIN_MS).unref())
    await Promise.race([cancelled.then(() => Promise.allSettled(this.#running)), late])
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Session> {
    const tags = await Promise.all(
      this.#consumptions.map((consumption) => this.#consume(model, consumption, broken)),
    )
    return { tags }
  }

  async #consume(model: ChannelModel, consumption: Consumption, broken: (reason: Error) => void) {
    const channel = await model.createChannel()
    // Acks are bound to this channel: after it closed they change nothing, and its messages come again.
    const state = { open: true }
    channel.on('error', broken)
    channel.on('close', () => {
      state.open = false
      broken(new Error(`the channel of ${consumption.name} was closed`))
    })
    const queue = await consumption.declare(channel)
    await channel.prefetch(consumption.prefetch)
    const take = (message: ConsumeMessage | null) => {
      if (message === null) return broken(new Error(`RabbitMQ cancelled the consumer of ${consumption.name}`))
      const running = this.#handle(channel, state, consumption, message)
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    }
    const { consumerTag } = await channel.consume(queue, take, { noAck: consumption.noAck ?? false })
    return { channel, consumerTag, queue }
  }

  async #handle(
    channel: Channel,
    state: { open: boolean },
    consumption: Consumption,
    message: ConsumeMessage,
  ): Promise<void> {
    const { properties, content, fields } = message
    const headers = (properties.headers ?? {}) as Record<string, unknown>
    const requestId = typeof headers['x-request-id'] === 'string' ? headers['x-request-id'] : ''
    const reply = (answer: Buffer) => {
      if (state.open)
        channel.sendToQueue(String(properties.replyTo), answer, {
          correlationId: String(properties.correlationId),
        })
    }
    let settle: 'ack' | 'reject' | 'keep' = 'ack'
    const handle = () =>
      this.#logged(consumption, requestId, async () => {
        await consumption.handle({ content, requestId, redelivered: fields.redelivered, headers }, reply)
      })
    try {
      // A nudge, which comes through an exchange, is not worth a span.
      if (fields.exchange !== '') await handle()
      else {
        const origin = { traceparent: headers['traceparent'], requestId }
        await inEntry(origin, processing(fields.routingKey, content), handle)
      }
    } catch (error) {
      // What was only away needs no dead letter: the row that the message came from says it again.
      settle = consumption.keeps ? 'keep' : isAway(error) ? 'ack' : 'reject'
    }
    if (!state.open || consumption.noAck || settle === 'keep') return
    try {
      if (settle === 'ack') channel.ack(message)
      else channel.reject(message, false)
    } catch (error) {
      // Between the beginning of a close and its end amqplib throws: the message comes again.
      this.#log.warn({ message: consumption.name, requestId, err: error }, 'a message could not be acked')
    }
  }

  async #logged({ name, keeps }: Consumption, requestId: string, handle: () => Promise<void>): Promise<void> {
    try {
      await handle()
    } catch (error) {
      const line = { message: name, requestId, err: error }
      if (keeps || isAway(error)) this.#log.warn(line, 'a message could not be handled for the moment')
      else this.#log.error(line, 'a message could not be handled')
      throw error
    }
  }
}
