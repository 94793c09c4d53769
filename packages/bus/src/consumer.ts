import { ConcurrencyLimit, Deadline, inRootSpan, isUnavailable, reasonOf, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import { ReconnectingConnection, type Connecting } from '#/reconnecting-connection.ts'
import { decode, type Incoming } from '#/message-format.ts'
import { messageSpan } from '#/spans.ts'
import { otherQueueOf } from '#/topology.ts'

/** An item, and the address for the reply to a question. */
type Delivery = Incoming & { replyTo: string }

type Consumption = {
  name: string
  /** Returns the name of the queue. */
  declare: (channel: Channel) => Promise<string>
  /** The queue of replicas that are configured for the other queue type is also consumed, if it exists. */
  hasOtherQueue?: boolean
  /** The limit of items handled concurrently. The prefetch count has the same value, and a message has up to 32 items. */
  concurrency: number
  handle: (delivery: Delivery) => Promise<void>
  /** Messages need no acknowledgement: their publisher repeats a lost message. */
  noAck?: boolean
  /** No span is recorded: a span would cost more than the handling of an event. */
  isUntraced?: boolean
  /**
   * Called after a permanent failure of the handler. If it rejects, the message is requeued. If it is absent, the message is
   * dropped.
   */
  onFailure?: (delivery: Delivery) => Promise<void>
  /** A message whose handler fails stays unacknowledged. RabbitMQ redelivers it when the connection is replaced. */
  staysUnacknowledged?: boolean
}

type Outcome = 'done' | 'requeue' | 'unacknowledged'

/**
 * A handler may run longer, because a call to the processor takes up to 6 s. Its message is then redelivered to another replica.
 */
const QUIESCE_TIMEOUT_MS = 5_000

const UNAVAILABLE = 'a message could not be handled: a dependency is unavailable'

type Tag = { channel: Channel; consumerTag: string; queue: string }

/** The number of messages that wait in a queue. */
type Depth = { queue: string; waiting: number }

/** A consumption with its state across queues and connections. */
type ActiveConsumption = Consumption & {
  limit: ConcurrencyLimit
  /** Correlation ids of the questions in progress: a repeated question is not handled twice at the same time. */
  questions: Set<string>
}

/** Consumes queues over a separate connection, with one channel for each queue. */
export class Consumer {
  readonly connection: ReconnectingConnection<Tag[]>
  readonly #consumptions: ActiveConsumption[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #log: Log
  /** Set by `quiesce`. Handlers may fail from then on, because the process closes its connections. */
  #isStopping = false

  constructor(connecting: Connecting) {
    this.#log = connecting.log
    this.connection = new ReconnectingConnection({
      ...connecting,
      purpose: 'consume',
      setUp: (model, broken) => this.#setUp(model, broken),
    })
  }

  add(consumption: Consumption): void {
    const limit = new ConcurrencyLimit({ permits: consumption.concurrency })
    this.#consumptions.push({ ...consumption, limit, questions: new Set() })
  }

  /** Returns the depths of the queues that this process consumes. Rejects without a connection. */
  async depths(): Promise<Depth[]> {
    // RabbitMQ generates the names of exclusive queues.
    const named = this.connection.get().filter(({ queue }) => !queue.startsWith('amq.'))
    const measured = named.map(async ({ channel, queue }) => {
      const { messageCount: waiting } = await channel.checkQueue(queue)
      return { queue, waiting }
    })
    return Promise.all(measured)
  }

  /** Cancels the consumers, drops waiting items, and waits for the running handlers. */
  async quiesce(): Promise<void> {
    this.#isStopping = true
    const tags = this.connection.session ?? []
    const cancelled = Promise.all(
      tags.map(({ channel, consumerTag }) =>
        channel.cancel(consumerTag).catch(() => 'the connection ended, which also ends the consumer'),
      ),
    )
    await Deadline.in(QUIESCE_TIMEOUT_MS).race(cancelled.then(() => Promise.allSettled(this.#running)))
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Tag[]> {
    const consumptions = this.#isStopping ? [] : this.#consumptions
    const tags = await Promise.all(
      consumptions.map(async (consumption) => {
        const own = await this.#consume(model, consumption, consumption.declare, broken)
        const other = otherQueueOf(own.queue)
        if (consumption.hasOtherQueue !== true || !(await exists(model, other))) return [own]
        return [own, await this.#consume(model, consumption, async () => other, broken)]
      }),
    )
    // Meanwhile `quiesce` has found no consumers to cancel.
    if (this.#isStopping && consumptions.length > 0) throw new Error('the process stops')
    return tags.flat()
  }

  async #consume(
    model: ChannelModel,
    consumption: ActiveConsumption,
    declare: Consumption['declare'],
    broken: (reason: Error) => void,
  ): Promise<Tag> {
    const channel = await model.createChannel()
    channel.on('error', broken)
    channel.on('close', () => broken(new Error(`the channel of ${consumption.name} was closed`)))
    const queue = await declare(channel)
    const { concurrency, noAck = false, name } = consumption
    await channel.prefetch(concurrency)
    const receive = (message: ConsumeMessage | null) => {
      if (message === null) return broken(new Error(`RabbitMQ cancelled the consumer of ${name}`))
      // It rejects when the message cannot be acknowledged: the connection has ended already, or it ends now. RabbitMQ redelivers.
      const running = this.#receive(channel, consumption, message).catch(broken)
      this.#running.add(running)
      void running.finally(() => this.#running.delete(running))
    }
    const { consumerTag } = await channel.consume(queue, receive, { noAck })
    return { channel, consumerTag, queue }
  }

  /** Handles the items of a message, and acknowledges it once all of them are handled. */
  async #receive(channel: Channel, consumption: ActiveConsumption, message: ConsumeMessage): Promise<void> {
    const { noAck = false, staysUnacknowledged = false } = consumption
    const { redelivered } = message.fields
    const isLastDelivery = redelivered && !noAck && !staysUnacknowledged
    if (isLastDelivery) await acknowledgeFirst(channel, message, consumption.concurrency)
    const outcomes = await Promise.all(
      decode(message).map((item) => this.#handle(consumption, item, message)),
    )
    if (isLastDelivery || noAck || outcomes.includes('unacknowledged')) return
    if (outcomes.includes('requeue')) channel.nack(message)
    else channel.ack(message)
  }

  async #handle(consumption: ActiveConsumption, item: Incoming, message: ConsumeMessage): Promise<Outcome> {
    const { limit, questions, isUntraced = false } = consumption
    const { id, requestId, traceparent, timeoutMs, data } = item
    if (id !== undefined && questions.has(id)) return 'done'
    const receivedAt = performance.now()
    const delivery = { ...item, replyTo: String(message.properties.replyTo) }
    const handle = () => this.#logged(consumption, delivery)
    const describe = () => messageSpan('process', message.fields.routingKey, data)
    try {
      if (id !== undefined) questions.add(id)
      return await limit.run(async () => {
        // The process began to stop while the item waited for a permit.
        if (this.#isStopping) return 'unacknowledged'
        // The reply timeout passed while the question waited for a permit.
        if (timeoutMs !== undefined && performance.now() - receivedAt > timeoutMs) return 'done'
        await (isUntraced ? handle() : inRootSpan({ traceparent, requestId }, describe, handle))
        return 'done'
      })
    } catch (error) {
      return await this.#handleFailure(consumption, delivery, error)
    } finally {
      if (id !== undefined) questions.delete(id)
    }
  }

  async #handleFailure(
    { name, staysUnacknowledged = false, onFailure }: ActiveConsumption,
    delivery: Delivery,
    error: unknown,
  ): Promise<Outcome> {
    if (staysUnacknowledged || this.#isStopping) return 'unacknowledged'
    // A dependency was unavailable. The sweeper republishes the command, so no dead letter is needed.
    if (isUnavailable(error) || !onFailure) return 'done'
    try {
      await onFailure(delivery)
      return 'done'
    } catch (reason) {
      const { requestId } = delivery
      this.#log.warn(
        { message: name, requestId, err: reason },
        'a dead letter could not be published; RabbitMQ redelivers its message',
      )
      return 'requeue'
    }
  }

  async #logged({ name, staysUnacknowledged, handle }: Consumption, delivery: Delivery): Promise<void> {
    try {
      await handle(delivery)
    } catch (error) {
      const line = { message: name, requestId: delivery.requestId }
      // Without the stack, which is expected here: in an outage under load, stacks would replace all earlier lines of a rotated log.
      if (isUnavailable(error)) this.#log.warn({ ...line, reason: reasonOf(error) }, UNAVAILABLE)
      else if (staysUnacknowledged || this.#isStopping) this.#log.warn({ ...line, err: error }, UNAVAILABLE)
      else this.#log.error({ ...line, err: error }, 'a message could not be handled')
      throw error
    }
  }
}

/**
 * Acknowledges a redelivered message before it is handled. Otherwise a classic queue would redeliver a message that crashes its
 * consumer forever. RabbitMQ has processed the acknowledgement once it responds to the next method on the channel.
 */
async function acknowledgeFirst(channel: Channel, message: ConsumeMessage, prefetch: number): Promise<void> {
  channel.ack(message)
  await channel.prefetch(prefetch)
}

/** Uses a separate channel, because RabbitMQ closes the channel if the queue does not exist. */
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
