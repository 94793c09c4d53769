import type { Command, Event, Question } from '@platter/contracts'
import { observe, type Log } from '@platter/kit'
import { connect as connectAmqp } from 'amqplib'
import type { z } from 'zod'
import { Consumer } from '#/consumer.ts'
import type { Connect } from '#/reconnecting-connection.ts'
import { Publisher, type Context } from '#/publisher.ts'
import {
  deadQueueOf,
  declareCommand,
  declareDead,
  declareEvent,
  declareQuestion,
  queueOf,
  type QueueType,
} from '#/topology.ts'

/** A command that its consumer could not handle. The bytes are not validated. */
export type DeadLetter = { content: Buffer; requestId: string }

type Options = {
  /** One URL, or the URLs of the nodes of a cluster. Each new connection goes to the next node. */
  url: string | readonly string[]
  service: string
  log: Log
  /** The setting BUS_QUEUES. */
  queues?: QueueType
  /** The simulation passes a simulated broker. */
  connect?: Connect
}

/** Each dead letter is one insert. */
const DEAD_LETTERS_AT_ONCE = 4

/** Each handler uses a database connection or an outgoing HTTP call, so the limit is slightly above the pool size. */
const COMMANDS_AT_ONCE = 16
const QUESTIONS_AT_ONCE = 64
const EVENTS_AT_ONCE = 64
const START_TIMEOUT_MS = 5_000

/**
 * Publishes and consumes the messages of a service over RabbitMQ. Handlers are added before `start` and are attached to each new
 * connection. Any message can be lost: the sweeper republishes commands from their rows, callers repeat questions, and events are
 * hints.
 */
export class Bus {
  readonly #publisher: Publisher
  readonly #consumer: Consumer
  readonly #type: QueueType

  constructor({ url, service, log, queues = 'classic', connect = connectAmqp }: Options) {
    const connecting = { urls: [url].flat(), connect, service, log }
    this.#type = queues
    this.#publisher = new Publisher(connecting, queues)
    this.#consumer = new Consumer(connecting)
    observe(['platter.queue.messages'], async (report) => {
      for (const { queue, waiting } of await this.queues())
        report('platter.queue.messages', waiting, { 'messaging.destination.name': queue })
    })
  }

  /**
   * Publishes a command. Commands for one queue from the same turn of the event loop share a message. With `batchDelayMs`, which is
   * equal for all publications of a command, a command waits up to that time for further commands. Resolves when the message is
   * written to the connection; the message may still be lost. Rejects with Unavailable.
   */
  publish<S extends z.ZodType>(
    command: Command<S>,
    data: z.input<S>,
    context: Context & { batchDelayMs?: number },
  ): Promise<void> {
    return this.#publisher.command(command, data, context)
  }

  /**
   * Publishes a question, repeats it until a reply arrives, and returns the reply. Rejects with Unavailable. A question
   * is a read, so a failure has no effect.
   */
  async ask<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    data: z.input<S>,
    context: Context & { timeoutMs: number },
  ): Promise<z.output<A>> {
    return question.reply.parse(await this.#publisher.question(question, data, context))
  }

  /** Returns the queues that this process consumes, with the number of waiting messages. Rejects without a connection. */
  queues(): Promise<{ queue: string; waiting: number }[]> {
    return this.#consumer.depths()
  }

  /** Publishes an event, best effort. The event may be lost, because rows hold the state. */
  publishEvent<S extends z.ZodType>(event: Event<S>, data: z.input<S>): void {
    this.#publisher.event(event, data)
  }

  /**
   * Handles up to `concurrency` commands at the same time. A message is acknowledged when all of its commands are handled. A command
   * that does not fit its schema, or whose handler fails, becomes a dead letter. If a dependency is unavailable, the command is
   * dropped; the sweeper republishes it from its row.
   */
  onCommand<S extends z.ZodType>(
    command: Command<S>,
    handler: (data: z.output<S>, context: Context) => Promise<void>,
    { concurrency = COMMANDS_AT_ONCE } = {},
  ): void {
    this.#consumer.add({
      name: command.name,
      declare: (channel) => declareCommand(channel, command, this.#type),
      hasOtherQueue: true,
      concurrency,
      handle: async (delivery) => handler(command.data.parse(delivery.data), delivery),
      onFailure: (delivery) => this.#publisher.confirm(deadQueueOf(command), delivery.content(), delivery),
    })
  }

  /**
   * Consumes the dead letters of a command. A dead letter is acknowledged after `store` resolves. `store` should retry forever:
   * after a failure, RabbitMQ redelivers the dead letter only when the connection is replaced.
   */
  onDeadLetter(command: Command, store: (deadLetter: DeadLetter) => Promise<void>): void {
    this.#consumer.add({
      name: deadQueueOf(command),
      declare: (channel) => declareDead(channel, command),
      concurrency: DEAD_LETTERS_AT_ONCE,
      staysUnacknowledged: true,
      handle: ({ content, requestId }) => store({ content: content(), requestId }),
    })
  }

  /** Republishes the bytes of a dead letter. Resolves once RabbitMQ has confirmed it; rejects with Unavailable. */
  republish(command: Command, { content, requestId }: DeadLetter): Promise<void> {
    return this.#publisher.confirm(queueOf(command, this.#type), content, { requestId })
  }

  onQuestion<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    handler: (data: z.output<S>, context: Context) => Promise<z.input<A>>,
  ): void {
    this.#consumer.add({
      name: question.name,
      declare: (channel) => declareQuestion(channel, question, this.#type),
      hasOtherQueue: true,
      concurrency: QUESTIONS_AT_ONCE,
      noAck: true,
      handle: async (delivery) => {
        const reply = await handler(question.data.parse(delivery.data), delivery)
        this.#publisher.reply(delivery.replyTo, delivery.id ?? '', reply)
      },
    })
  }

  onEvent<S extends z.ZodType>(event: Event<S>, handler: (data: z.output<S>) => void): void {
    this.#consumer.add({
      name: event.name,
      declare: (channel) => declareEvent(channel, event),
      concurrency: EVENTS_AT_ONCE,
      noAck: true,
      isUntraced: true,
      handle: async ({ data }) => handler(event.data.parse(data)),
    })
  }

  /**
   * Connects, and reconnects until `close`. Resolves when connected, or after five seconds. A service starts without RabbitMQ,
   * because it can serve most requests.
   */
  async start(): Promise<void> {
    const connections = [this.#publisher.connection, this.#consumer.connection]
    await Promise.all(connections.map((connection) => connection.start(START_TIMEOUT_MS)))
  }

  /** Checks readiness. Rejects with the reason while a connection is missing, or RabbitMQ accepts no messages. */
  async check(): Promise<void> {
    this.#publisher.connection.get()
    this.#publisher.session()
    this.#consumer.connection.get()
  }

  /** Stops consuming, and waits for the running handlers. */
  quiesce(): Promise<void> {
    return this.#consumer.quiesce()
  }

  async close(): Promise<void> {
    await Promise.all([this.#consumer.connection.close(), this.#publisher.close()])
  }
}
