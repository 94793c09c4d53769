import { inEntry, isUnavailable, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import { Concurrency, Stopped } from '#/concurrency.ts'
import { KeptConnection } from '#/kept-connection.ts'
import { decode, type Incoming } from '#/message-format.ts'
import { processing } from '#/spans.ts'

export type Delivery = Incoming & {
  redelivered: boolean
  headers: Record<string, unknown>
  /** Where the reply to a question goes. */
  replyTo: string
}

export type Consumption = {
  name: string
  /** Returns the name of the queue. */
  declare: (channel: Channel) => Promise<string>
  /** Consumed as well where they exist: replicas of another version or setting publish to them. */
  otherQueues?: readonly string[]
  /** Items that are handled at once. As many messages are fetched, so that up to 32 times as many items may wait here. */
  atOnce: number
  handle: (delivery: Delivery) => Promise<void>
  /** Messages are not acknowledged: their publisher repeats what is lost. */
  noAck?: boolean
  /** No span: an event costs less than that. */
  isUntraced?: boolean
  /**
   * After a failure that a repetition does not heal. When it rejects, the message is returned to its queue. Without it such
   * a message is dropped.
   */
  failed?: (delivery: Delivery) => Promise<void>
  /** A message whose handler fails is neither acknowledged nor rejected: it is redelivered with the next connection. */
  keeps?: boolean
}

type Outcome = 'done' | 'requeue' | 'keep'

/** A handler that is cut off (a call to the processor may take 6 s) is no loss: its message is redelivered elsewhere. */
const HANDLERS_END_WITHIN_MS = 5_000

type Tag = { channel: Channel; consumerTag: string; queue: string }
type Session = { tags: Tag[] }

/** How many messages wait in a queue. */
type Depth = { queue: string; waiting: number }

/** A consumption and what it has in hand, over all of its queues and connections. */
type Consumed = Consumption & {
  concurrency: Concurrency
  /** Correlation ids of the questions in hand: a repeated one is not answered twice at the same time. */
  questions: Set<string>
}

/** Consumes queues over a connection of its own, one channel a queue. */
export class Consumer {
  readonly connection: KeptConnection<Session>
  readonly #consumptions: Consumed[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #log: Log

  constructor({ urls, service, log }: { urls: readonly string[]; service: string; log: Log }) {
    this.#log = log
    this.connection = new KeptConnection({
      urls,
      name: `${service} consume`,
      setUp: (model, broken) => this.#setUp(model, broken),
      log,
    })
  }

  add(consumption: Consumption): void {
    const concurrency = new Concurrency(consumption.atOnce)
    this.#consumptions.push({ ...consumption, concurrency, questions: new Set() })
  }

  /** Of the queues that are consumed here. Rejects without a connection. */
  depths(): Promise<Depth[]> {
    const { tags } = this.connection.get()
    // RabbitMQ makes up the names of exclusive queues.
    const named = tags.filter(({ queue }) => !queue.startsWith('amq.'))
    const measured = named.map(async ({ channel, queue }) => {
      const { messageCount: waiting } = await channel.checkQueue(queue)
      return { queue, waiting }
    })
    return Promise.all(measured)
  }

  /** Takes no more messages, begins nothing that waits, and waits for what is in hand. */
  async quiesce(): Promise<void> {
    const { tags } = this.connection.session ?? { tags: [] }
    const cancelled = Promise.all(
      tags.map(({ channel, consumerTag }) =>
        channel.cancel(consumerTag).catch(() => 'the connection is gone, and the consumer with it'),
      ),
    )
    for (const { concurrency } of this.#consumptions) concurrency.stop()
    const late = new Promise<void>((resolve) => setTimeout(resolve, HANDLERS_END_WITHIN_MS).unref())
    await Promise.race([cancelled.then(() => Promise.allSettled(this.#running)), late])
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Session> {
    const tags = await Promise.all(
      this.#consumptions.flatMap((consumption) => [
        this.#consume(model, consumption, consumption.declare, broken),
        ...(consumption.otherQueues ?? []).map(async (queue) =>
          (await exists(model, queue)) ? this.#consume(model, consumption, async () => queue, broken) : [],
        ),
      ]),
    )
    return { tags: tags.flat() }
  }

  async #consume(
    model: ChannelModel,
    consumption: Consumed,
    declare: Consumption['declare'],
    broken: (reason: Error) => void,
  ): Promise<Tag> {
    const channel = await model.createChannel()
    // An acknowledgement is bound to its channel: after that has closed it changes nothing, and the message is redelivered.
    const state = { open: true }
    channel.on('error', broken)
    channel.on('close', () => {
      state.open = false
      broken(new Error(`the channel of ${consumption.name} was closed`))
    })
    const queue = await declare(channel)
    const { atOnce, noAck = false, name } = consumption
    await channel.prefetch(atOnce)
    const take = (message: ConsumeMessage | null) => {
      if (message === null) return broken(new Error(`RabbitMQ cancelled the consumer of ${name}`))
      const running = this.#take(channel, state, consumption, message)
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    }
    const { consumerTag } = await channel.consume(queue, take, { noAck })
    return { channel, consumerTag, queue }
  }

  /** Handles the items of a message, and settles it once all of them are handled. */
  async #take(
    channel: Channel,
    state: { open: boolean },
    consumption: Consumed,
    message: ConsumeMessage,
  ): Promise<void> {
    const { noAck = false, keeps = false } = consumption
    const { redelivered } = message.fields
    const settle = (work: () => void) => {
      try {
        if (state.open && !noAck) work()
      } catch (error) {
        // amqplib throws between the beginning and the end of a close; then the message is redelivered.
        this.#log.warn({ message: consumption.name, err: error }, 'a message could not be acknowledged')
      }
    }
    const isLastDelivery = redelivered && !noAck && !keeps
    if (isLastDelivery && !(await acknowledged(channel, message, consumption.atOnce))) return
    const outcomes = await Promise.all(
      decode(message).map((item) => this.#handle(consumption, item, message)),
    )
    if (isLastDelivery || outcomes.includes('keep')) return
    settle(() => (outcomes.includes('requeue') ? channel.nack(message) : channel.ack(message)))
  }

  async #handle(consumption: Consumed, item: Incoming, message: ConsumeMessage): Promise<Outcome> {
    const { concurrency, questions, isUntraced = false } = consumption
    const { properties, fields } = message
    const { id, requestId, traceparent, timeoutMs, data } = item
    if (id !== undefined && questions.has(id)) return 'done'
    const receivedAt = performance.now()
    const headers = (properties.headers ?? {}) as Record<string, unknown>
    const { redelivered } = fields
    const delivery = { ...item, redelivered, headers, replyTo: String(properties.replyTo) }
    const handle = () => this.#logged(consumption, delivery)
    try {
      if (id !== undefined) questions.add(id)
      await concurrency.run(async () => {
        // Its caller has given up while it waited here.
        if (timeoutMs !== undefined && performance.now() - receivedAt > timeoutMs) return
        if (isUntraced) return handle()
        return inEntry({ traceparent, requestId }, processing(fields.routingKey, data), handle)
      })
      return 'done'
    } catch (error) {
      return await this.#failed(consumption, delivery, error)
    } finally {
      if (id !== undefined) questions.delete(id)
    }
  }

  async #failed(
    { name, keeps = false, failed }: Consumed,
    delivery: Delivery,
    error: unknown,
  ): Promise<Outcome> {
    if (keeps || error instanceof Stopped) return 'keep'
    // What was only unavailable needs no dead letter: its row republishes it.
    if (isUnavailable(error) || !failed) return 'done'
    try {
      await failed(delivery)
      return 'done'
    } catch (reason) {
      const { requestId } = delivery
      this.#log.warn({ message: name, requestId, err: reason }, 'a dead letter could not be published')
      return 'requeue'
    }
  }

  async #logged({ name, keeps, handle }: Consumption, delivery: Delivery): Promise<void> {
    try {
      await handle(delivery)
    } catch (error) {
      const line = { message: name, requestId: delivery.requestId, err: error }
      if (keeps || isUnavailable(error)) this.#log.warn(line, 'a message could not be handled for the moment')
      else this.#log.error(line, 'a message could not be handled')
      throw error
    }
  }
}

/**
 * A classic queue delivers a message that kills its consumer for ever. So its second delivery is its last one: it is
 * acknowledged before it is handled, and RabbitMQ has read that when it answers what comes after it on the channel. False when
 * the channel ends before.
 */
async function acknowledged(channel: Channel, message: ConsumeMessage, prefetch: number): Promise<boolean> {
  try {
    channel.ack(message)
    await channel.prefetch(prefetch)
    return true
  } catch {
    return false
  }
}

/** Asks on a channel of its own: RabbitMQ closes the channel on which it says no. */
async function exists(model: ChannelModel, queue: string): Promise<boolean> {
  const channel = await model.createChannel()
  channel.on('error', () => 'the answer is no')
  try {
    await channel.checkQueue(queue)
    await channel.close()
    return true
  } catch {
    return false
  }
}
