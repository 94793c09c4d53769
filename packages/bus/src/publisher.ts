import { randomUUID } from 'node:crypto'
import type { Command, Event, Question } from '@platter/contracts'
import { Deadline, inSpan, reasonOf, traceHeaders, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConfirmChannel, Message, Options } from 'amqplib'
import { Batcher, type Destination } from '#/batching.ts'
import { ReconnectingConnection, type Connecting } from '#/reconnecting-connection.ts'
import { encode, type Outgoing } from '#/message-format.ts'
import { Questions } from '#/questions.ts'
import { messageSpan } from '#/spans.ts'
import { declareExchange, exchangeOf, otherQueueOf, queueOf, type QueueType } from '#/topology.ts'
import { Unavailable } from '#/unavailable.ts'

/** Direct reply-to: replies arrive on the channel of the question, without a queue. */
const REPLY_TO = 'amq.rabbitmq.reply-to'
const CONFIRM_WITHIN_MS = 5_000
const FLUSH_WITHIN_MS = 1_000

/** The limit of bytes in the socket's buffer. Above it RabbitMQ is too slow and publishing fails; the sweeper republishes later. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024

/** The shortest life of a connection whose messages RabbitMQ rejects: a queue that stays without a leader stops no other queue. */
const REJECTED_AFTER_MS = 2_000

type Session = {
  /** The channel of all messages that their senders repeat if they are lost. */
  transient: Channel
  /** Publishes on `transient`. */
  publish: (exchange: string, key: string, content: Buffer, options: Options.Publish) => boolean
  /** The channel of persistent messages, whose publisher waits for the confirm. */
  confirmed: ConfirmChannel
  /** Receives the result of each confirm. */
  onConfirm: (error: Error | null) => void
  isBlocked: boolean
  backlogBytes: number
}

export type Context = { requestId: string }

/**
 * Publishes over a separate connection. RabbitMQ blocks publishing connections while it is short of memory or disk, and that must
 * not stop the consumers. Only dead letters are persistent and confirmed. The sweeper or the caller repeats every other message.
 */
export class Publisher {
  readonly connection: ReconnectingConnection<Session>
  readonly #type: QueueType
  readonly #log: Log
  readonly #batcher = new Batcher((to, items) => this.#publish(to, items))
  readonly #questions = new Questions()
  /** The published events. A new connection declares their exchanges: RabbitMQ closes a channel that publishes to a missing one. */
  readonly #events = new Set<Event>()
  /** Ids of messages that RabbitMQ returned, because their queue does not exist, before it confirmed them. */
  readonly #returned = new Set<string>()

  constructor(connecting: Connecting, type: QueueType) {
    this.#type = type
    this.#log = connecting.log
    this.connection = new ReconnectingConnection({
      ...connecting,
      purpose: 'publish',
      setUp: (model, broken) => this.#setUp(model, broken),
    })
  }

  /** Resolves when the command is written to the connection. Rejects with Unavailable if no connection is usable. */
  command(
    command: Command,
    data: unknown,
    { requestId, batchDelayMs = 0 }: Context & { batchDelayMs?: number },
  ): Promise<void> {
    const to = { key: queueOf(command, this.#type), options: { mandatory: true }, delayMs: batchDelayMs }
    return this.#inSpan(to.key, data, requestId, (item) => this.#batcher.add(to, item))
  }

  /** Returns the data of the reply. Rejects with Unavailable, after `timeoutMs` at the latest. */
  question(
    question: Question,
    data: unknown,
    { requestId, timeoutMs }: Context & { timeoutMs: number },
  ): Promise<unknown> {
    const key = queueOf(question, this.#type)
    const to = { key, options: { replyTo: REPLY_TO, mandatory: true } }
    return this.#inSpan(key, data, requestId, (item) =>
      this.#questions.ask(question.name, item, timeoutMs, (one) => this.#batcher.add(to, one)),
    )
  }

  /** Passes on the item with the context of its span. */
  #inSpan<T>(
    queue: string,
    data: unknown,
    requestId: string,
    send: (item: Outgoing) => Promise<T>,
  ): Promise<T> {
    return inSpan(
      () => messageSpan('send', queue, data),
      () => send({ json: JSON.stringify(data), requestId, ...traceHeaders() }),
    )
  }

  /** Publishes a reply to the channel of the caller (direct reply-to). The loss of a reply causes no error. */
  reply(replyTo: string, id: string, data: unknown): void {
    this.#publishBestEffort({ key: replyTo }, { json: JSON.stringify(data), id })
  }

  /** Publishes an event, best effort: no state depends on it. */
  event(event: Event, data: unknown): void {
    this.#events.add(event)
    this.#publishBestEffort({ exchange: exchangeOf(event), key: '' }, { json: JSON.stringify(data) })
  }

  #publishBestEffort(to: Destination, item: Outgoing): void {
    this.#batcher.add(to, item).catch(() => 'lost without a connection')
  }

  async close(): Promise<void> {
    this.#batcher.flush()
    const { session } = this.connection
    // RabbitMQ responds after it has read all earlier messages. Closing without this round trip could discard them.
    const isRead = session?.transient.prefetch(0).catch(() => 'the connection has ended')
    if (isRead) await Deadline.in(FLUSH_WITHIN_MS).race(isRead)
    await this.connection.close()
  }

  #publish({ exchange = '', key, options }: Destination, items: readonly Outgoing[]): void {
    const session = this.session()
    const { content, properties } = encode(items)
    try {
      const isBufferFree = session.publish(exchange, key, content, { ...properties, ...options })
      if (!isBufferFree) session.backlogBytes += content.length
    } catch (error) {
      // amqplib throws while the channel closes.
      throw new Unavailable(reasonOf(error))
    }
  }

  /** Publishes one persistent message. Resolves once RabbitMQ has confirmed it; rejects with Unavailable. */
  async confirm(queue: string, content: Buffer, { requestId }: Context): Promise<void> {
    const { confirmed, onConfirm } = this.session()
    const messageId = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const fail = (reason: string) => reject(new Unavailable(reason))
    const timer = setTimeout(() => fail('RabbitMQ did not confirm in time'), CONFIRM_WITHIN_MS)
    const headers = { 'x-request-id': requestId, ...traceHeaders() }
    const options = { messageId, persistent: true, mandatory: true, contentType: 'application/json', headers }
    try {
      confirmed.publish('', queue, content, options, (error: Error | null) => {
        onConfirm(error)
        // RabbitMQ sends `basic.return` before the confirm.
        if (error) fail(error.message)
        else if (this.#returned.delete(messageId)) fail(`the queue ${queue} does not exist`)
        else resolve()
      })
      await promise
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable(String(error))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the session. Throws Unavailable while RabbitMQ accepts no messages. */
  session(): Session {
    const { session } = this.connection
    if (session === null) throw new Unavailable('not connected to RabbitMQ')
    if (session.isBlocked)
      throw new Unavailable('RabbitMQ is short of memory or disk and accepts no messages')
    if (session.backlogBytes > MAX_BACKLOG_BYTES) throw new Unavailable('RabbitMQ reads messages too slowly')
    return session
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Session> {
    const since = performance.now()
    // RabbitMQ 3.10 keeps the leader that a quorum queue had when the channel opened. If that node is dead, it rejects every later
    // message of the channel to that queue, also when the queue has a new leader (npm run cluster). A new channel finds it.
    const onConfirm = (error: Error | null) => {
      if (error && performance.now() - since > REJECTED_AFTER_MS)
        broken(new Error('RabbitMQ rejected a message'))
    }
    const { transient, publish } = await this.#openTransientChannel(model, onConfirm)
    for (const event of this.#events) await declareExchange(transient, event)
    const confirmed = await model.createConfirmChannel()
    for (const channel of [transient, confirmed]) {
      channel.on('error', broken)
      channel.on('close', () => broken(new Error('the channel was closed')))
    }
    const session = { transient, publish, confirmed, onConfirm, isBlocked: false, backlogBytes: 0 }
    transient.on('return', (message: Message) => this.#reroute(message))
    confirmed.on('return', ({ properties }: Message) => this.#returned.add(String(properties.messageId)))
    transient.on('drain', () => (session.backlogBytes = 0))
    model.on('blocked', () => (session.isBlocked = true))
    model.on('unblocked', () => (session.isBlocked = false))
    await transient.consume(REPLY_TO, (message) => message && this.#questions.receiveReplies(message), {
      noAck: true,
    })
    return session
  }

  /**
   * Opens the channel for messages whose publisher does not wait for a confirm. With quorum queues it is a confirm channel
   * nevertheless: on a channel without confirms, messages to a quorum queue were lost after a failover.
   */
  async #openTransientChannel(
    model: ChannelModel,
    onConfirm: Session['onConfirm'],
  ): Promise<Pick<Session, 'transient' | 'publish'>> {
    if (this.#type === 'classic') {
      const transient = await model.createChannel()
      return { transient, publish: (...message) => transient.publish(...message) }
    }
    const transient = await model.createConfirmChannel()
    return { transient, publish: (...message) => transient.publish(...message, onConfirm) }
  }

  /**
   * Publishes a returned message to the other queue. The first queue does not exist yet, because all running replicas are
   * configured for the other queue type. If the other queue does not exist either, RabbitMQ drops the message.
   */
  #reroute({ fields: { routingKey: queue }, content, properties }: Message): void {
    const { replyTo } = properties as { replyTo?: string }
    const options = { ...properties, ...(replyTo !== undefined && { replyTo: REPLY_TO }) }
    try {
      this.session().publish('', otherQueueOf(queue), content, options)
    } catch (error) {
      this.#log.warn({ message: queue, err: error }, 'a message without a queue was lost')
    }
  }
}
