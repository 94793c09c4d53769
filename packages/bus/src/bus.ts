import type { Command, Event, Question } from '@platter/contracts'
import { observe, type Log } from '@platter/kit'
import { connect as connectAmqp } from 'amqplib'
import type { z } from 'zod'
import { Consumer, type Delivery } from '#/consumer.ts'
import type { Connect } from '#/reconnecting-connection.ts'
import { Publisher, type Context } from '#/publisher.ts'
import {
  deadQueueOf,
  declareCommand,
  declareDead,
  declareEvent,
  declareQuestion,
  otherQueueOf,
  type QueueType,
} from '#/topology.ts'

export type Received = Pick<Delivery, 'requestId' | 'redelivered'>

/** A command that could not be handled. Its bytes are not validated. */
export type DeadLetter = { content: Buffer; requestId: string }

type Options = {
  /** One URL, or those of the nodes of a cluster: each new connection is to the next node. */
  url: string | readonly string[]
  service: string
  log: Log
  /** BUS_QUEUES. */
  queues?: QueueType
  /** The simulation has a broker of its own. */
  connect?: Connect
}

/** Each is one insert. */
const DEAD_LETTERS_AT_ONCE = 4

/** Handlers use a database connection or an outside call each: slightly more than the connection pool has. */
const COMMANDS_AT_ONCE = 16
const QUESTIONS_AT_ONCE = 64
const EVENTS_AT_ONCE = 64
const START_TIMEOUT_MS = 5_000

/**
 * Publishes and consumes the messages of a service over RabbitMQ. Handlers are added before `start` and serve each new
 * connection. No published message is certain to arrive: rows republish commands, callers repeat questions, and events are hints.
 */
export class Bus {
  readonly #publisher: Publisher
  readonly #consumer: Consumer
  readonly #type: QueueType

  constructor({ url, service, log, queues = 'classic', connect = connectAmqp }: Options) {
    const urls = [url].flat()
    this.#type = queues
    this.#publisher = new Publisher({ urls, connect, service, type: queues, log })
    this.#consumer = new Consumer({ urls, connect, service, log })
    this.#observe()
  }

  /**
   * Publishes a command. Commands to one queue that arise in the same turn of the event loop share a message; with `gatherMs`
   * commands wait for others for at most so many milliseconds. Resolves when the message is written to the connection; it may
   * be lost after that. Rejects with NotPublished.
   */
  publish<S extends z.ZodType>(
    command: Command<S>,
    data: z.input<S>,
    context: Context & { gatherMs?: number },
  ): Promise<void> {
    return this.#publisher.command(command, data, context)
  }

  /** The reply to a question, which is republished while there is none. Rejects with NoReply or NotPublished, without any effect. */
  async ask<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    data: z.input<S>,
    context: Context & { timeoutMs: number },
  ): Promise<z.output<A>> {
    return question.answer.parse(await this.#publisher.question(question, data, context))
  }

  #observe(): void {
    observe(['platter.queue.messages'], async () => {
      const depths = await this.#consumer.depths()
      return {
        'platter.queue.messages': depths.map(({ queue, waiting }) => ({
          value: waiting,
          attributes: named(queue),
        })),
      }
    })
  }

  /** The queues that this process consumes, with their waiting messages. Rejects without a connection. */
  queues(): Promise<{ queue: string; waiting: number }[]> {
    return this.#consumer.depths()
  }

  /** Publishes an event. Best effort: nothing depends on it. */
  publishEvent<S extends z.ZodType>(event: Event<S>, data: z.input<S>): void {
    this.#publisher.event(event, data)
  }

  /**
   * Handles up to `atOnce` commands at the same time. A message is acknowledged when all of its commands are handled. A command
   * that does not fit its schema, or whose handler fails, becomes a dead letter. When a dependency is unavailable the command is
   * dropped, and its row republishes it.
   */
  onCommand<S extends z.ZodType>(
    command: Command<S>,
    handler: (data: z.output<S>, received: Received) => Promise<void>,
    { atOnce = COMMANDS_AT_ONCE } = {},
  ): void {
    this.#consumer.add({
      name: command.name,
      declare: (channel) => declareCommand(channel, command, this.#type),
      otherQueue: otherQueueOf(command, this.#type),
      atOnce,
      handle: async (delivery) => handler(command.data.parse(delivery.data), delivery),
      failed: (delivery) => this.#publisher.deadLetter(command, delivery.content(), delivery),
    })
  }

  /**
   * Consumes the dead letters of a command. A dead letter is acknowledged once `store` has stored it. `store` should retry without
   * end: after a failure RabbitMQ redelivers the dead letter only to the next connection.
   */
  onDeadLetter(command: Command, store: (letter: DeadLetter) => Promise<void>): void {
    this.#consumer.add({
      name: deadQueueOf(command),
      declare: (channel) => declareDead(channel, command),
      atOnce: DEAD_LETTERS_AT_ONCE,
      staysUnacknowledged: true,
      handle: ({ content, requestId }) => store({ content: content(), requestId }),
    })
  }

  /** Republishes the bytes of a dead letter. Resolves once RabbitMQ has confirmed it; rejects with NotPublished. */
  republish(command: Command, { content, requestId }: DeadLetter): Promise<void> {
    return this.#publisher.republish(command, content, { requestId })
  }

  onQuestion<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    handler: (data: z.output<S>, received: Received) => Promise<z.input<A>>,
  ): void {
    this.#consumer.add({
      name: question.name,
      declare: (channel) => declareQuestion(channel, question, this.#type),
      otherQueue: otherQueueOf(question, this.#type),
      atOnce: QUESTIONS_AT_ONCE,
      noAck: true,
      handle: async (delivery) => {
        const answer = await handler(question.data.parse(delivery.data), delivery)
        this.#publisher.reply(delivery.replyTo, delivery.id ?? '', answer)
      },
    })
  }

  onEvent<S extends z.ZodType>(event: Event<S>, handler: (data: z.output<S>) => void): void {
    this.#consumer.add({
      name: event.name,
      declare: (channel) => declareEvent(channel, event),
      atOnce: EVENTS_AT_ONCE,
      noAck: true,
      isUntraced: true,
      handle: async ({ data }) => handler(event.data.parse(data)),
    })
  }

  /**
   * Connects, and reconnects without end. Resolves when connected, or after five seconds: a service starts without its broker,
   * because it can serve most requests.
   */
  async start(): Promise<void> {
    const connections = [this.#publisher.connection, this.#consumer.connection]
    await Promise.all(connections.map((connection) => connection.start(START_TIMEOUT_MS)))
  }

  /** For readiness: rejects with the reason while a connection is missing. */
  async check(): Promise<void> {
    this.#publisher.connection.get()
    this.#consumer.connection.get()
  }

  /** Consumes no more messages, and waits for the running handlers. */
  quiesce(): Promise<void> {
    return this.#consumer.quiesce()
  }

  async close(): Promise<void> {
    await Promise.all([this.#consumer.connection.close(), this.#publisher.close()])
  }
}

const named = (queue: string) => ({ 'messaging.destination.name': queue })
