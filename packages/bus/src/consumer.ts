import { Cancelled, ConcurrencyLimit, Deadline, inRootSpan, isUnavailable, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import { ReconnectingConnection, type Connect } from '#/reconnecting-connection.ts'
import { decode, type Incoming } from '#/message-format.ts'
import { processing } from '#/spans.ts'

export type Delivery = Incoming & {
  redelivered: boolean
  /** The address for the reply to a question. */
  replyTo: string
}

type Consumption = {
  name: string
  /** Returns the name of the queue. */
  declare: (channel: Channel) => Promise<string>
  /** Consumed as well if it exists: replicas with another configuration publish to it. */
  otherQueue?: string
  /** Items that are handled at the same time. The prefetch is as many messages, each with up to 32 items. */
  atOnce: number
  handle: (delivery: Delivery) => Promise<void>
  /** Messages are not acknowledged: their publisher repeats a lost one. */
  noAck?: boolean
  /** Without a span, which would cost more than handling an event. */
  isUntraced?: boolean
  /**
   * Called after a permanent failure of the handler. When it rejects, the message returns to its queue. Without it the message is
   * dropped.
   */
  failed?: (delivery: Delivery) => Promise<void>
  /** A message whose handler fails stays unacknowledged: RabbitMQ redelivers it to the next connection. */
  staysUnacknowledged?: boolean
}

type Outcome = 'done' | 'requeue' | 'unacknowledged'

/** A handler may run longer (a call to the processor takes up to 6 s): its message is redelivered to another replica. */
const QUIESCE_TIMEOUT_MS = 5_000

type Tag = { channel: Channel; consumerTag: string; queue: string }
type Session = { tags: Tag[] }

/** How many messages wait in a queue. */
type Depth = { queue: string; waiting: number }

/** A consumption with its state over all of its queues and connections. */
type ActiveConsumption = Consumption & {
  limit: ConcurrencyLimit
  /** Correlation ids of the questions in progress: a repeated question is not handled twice at the same time. */
  questions: Set<string>
}

type Options = { urls: readonly string[]; connect: Connect; service: string; log: Log }

/** Consumes queues over a connection of its own, one channel a queue. */
export class Consumer {
  readonly connection: ReconnectingConnection<Session>
  readonly #consumptions: ActiveConsumption[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #log: Log

  constructor({ urls, connect, service, log }: Options) {
    this.#log = log
    this.connection = new ReconnectingConnection({
      urls,
      connect,
      name: `${service} consume`,
      setUp: (model, broken) => this.#setUp(model, broken),
      log,
    })
  }

  add(consumption: Consumption): void {
    const limit = new ConcurrencyLimit({ permits: consumption.atOnce })
    this.#consumptions.push({ ...consumption, limit, questions: new Set() })
  }

  /** The depths of the queues that this process consumes. Rejects without a connection. */
  depths(): Promise<Depth[]> {
    const { tags } = this.connection.get()
    // RabbitMQ generates the names of exclusive queues.
    const named = tags.filter(({ queue }) => !queue.startsWith('amq.'))
    const measured = named.map(async ({ channel, queue }) => {
      const { messageCount: waiting } = await channel.checkQueue(queue)
      return { queue, waiting }
    })
    return Promise.all(measured)
  }

  /** Cancels the consumers, drops waiting items, and waits for the running handlers. */
  async quiesce(): Promise<void> {
    const { tags } = this.connection.session ?? { tags: [] }
    const cancelled = Promise.all(
      tags.map(({ channel, consumerTag }) =>
        channel.cancel(consumerTag).catch(() => 'the connection has ended, and the consumer with it'),
      ),
    )
    for (const { limit } of this.#consumptions) limit.cancelPending()
    await Deadline.in(QUIESCE_TIMEOUT_MS).race(cancelled.then(() => Promise.allSettled(this.#running)))
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Session> {
    const tags = await Promise.all(
      this.#consumptions.flatMap((consumption) => [
        this.#consume(model, consumption, consumption.declare, broken),
        this.#consumeOther(model, consumption, broken),
      ]),
    )
    return { tags: tags.flat() }
  }

  async #consumeOther(
    model: ChannelModel,
    consumption: ActiveConsumption,
    broken: (reason: Error) => void,
  ): Promise<Tag | []> {
    const { otherQueue } = consumption
    if (otherQueue === undefined || !(await exists(model, otherQueue))) return []
    return this.#consume(model, consumption, async () => otherQueue, broken)
  }

  async #consume(
    model: ChannelModel,
    consumption: ActiveConsumption,
    declare: Consumption['declare'],
    broken: (reason: Error) => void,
  ): Promise<Tag> {
    const channel = await model.createChannel()
    // An acknowledgement is bound to its channel. Once the channel has closed, the message is redelivered.
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

  /** Handles the items of a message, and acknowledges it once all of them are handled. */
  async #take(
    channel: Channel,
    state: { open: boolean },
    consumption: ActiveConsumption,
    message: ConsumeMessage,
  ): Promise<void> {
    const { noAck = false, staysUnacknowledged = false } = consumption
    const { redelivered } = message.fields
    const settle = (work: () => void) => {
      try {
        if (state.open && !noAck) work()
      } catch (error) {
        // amqplib throws while the channel closes. The message is redelivered then.
        this.#log.warn({ message: consumption.name, err: error }, 'a message could not be acknowledged')
      }
    }
    const isLastDelivery = redelivered && !noAck && !staysUnacknowledged
    if (isLastDelivery && !(await acknowledged(channel, message, consumption.atOnce))) return
    const outcomes = await Promise.all(
      decode(message).map((item) => this.#handle(consumption, item, message)),
    )
    if (isLastDelivery || outcomes.includes('unacknowledged')) return
    settle(() => (outcomes.includes('requeue') ? channel.nack(message) : channel.ack(message)))
  }

  async #handle(consumption: ActiveConsumption, item: Incoming, message: ConsumeMessage): Promise<Outcome> {
    const { limit, questions, isUntraced = false } = consumption
    const { properties, fields } = message
    const { id, requestId, traceparent, timeoutMs, data } = item
    if (id !== undefined && questions.has(id)) return 'done'
    const receivedAt = performance.now()
    const { redelivered } = fields
    const delivery = { ...item, redelivered, replyTo: String(properties.replyTo) }
    const handle = () => this.#logged(consumption, delivery)
    try {
      if (id !== undefined) questions.add(id)
      await limit.run(async () => {
        // The reply timeout passed while the question waited for its permit.
        if (timeoutMs !== undefined && performance.now() - receivedAt > timeoutMs) return
        if (isUntraced) return handle()
        return inRootSpan({ traceparent, requestId }, processing(fields.routingKey, data), handle)
      })
      return 'done'
    } catch (error) {
      return await this.#failed(consumption, delivery, error)
    } finally {
      if (id !== undefined) questions.delete(id)
    }
  }

  async #failed(
    { name, staysUnacknowledged = false, failed }: ActiveConsumption,
    delivery: Delivery,
    error: unknown,
  ): Promise<Outcome> {
    if (staysUnacknowledged || error instanceof Cancelled) return 'unacknowledged'
    // A dependency was unavailable: the row republishes the command, which needs no dead letter.
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

  async #logged({ name, staysUnacknowledged, handle }: Consumption, delivery: Delivery): Promise<void> {
    try {
      await handle(delivery)
    } catch (error) {
      const line = { message: name, requestId: delivery.requestId, err: error }
      if (staysUnacknowledged || isUnavailable(error))
        this.#log.warn(line, 'a message could not be handled: a dependency is unavailable')
      else this.#log.error(line, 'a message could not be handled')
      throw error
    }
  }
}

/**
 * A classic queue would redeliver a message that kills its consumer without end. So the second delivery is the last one: it is
 * acknowledged before it is handled. RabbitMQ has read the acknowledgement once it responds to the next method of the channel.
 * False when the channel ends before.
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

/** Uses a channel of its own: RabbitMQ closes the channel when the queue does not exist. */
async function exists(model: ChannelModel, queue: string): Promise<boolean> {
  const channel = await model.createChannel()
  channel.on('error', () => 'the queue does not exist')
  try {
    await channel.checkQueue(queue)
    await channel.close()
    return true
  } catch {
    return false
  }
}
