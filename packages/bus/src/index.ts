import type { Command, Nudge, Question } from '@platter/contracts'
import { observe, type Log } from '@platter/kit'
import type { z } from 'zod'
import { Consumer, type Delivery } from '#/consumer.ts'
import { reasonOfDeath } from '#/death.ts'
import { Publisher, type Context } from '#/publisher.ts'
import {
  deadQueueOf,
  declareCommand,
  declareDead,
  declareNudge,
  declareQuestion,
  otherQueuesOf,
  type QueueType,
} from '#/topology.ts'

export { NoAnswer, NotPublished } from '#/unavailable.ts'
export { deadQueueOf, queueOf } from '#/topology.ts'
export type { QueueType } from '#/topology.ts'
export type { Context } from '#/publisher.ts'

export type Received = Pick<Delivery, 'requestId' | 'redelivered'>

/** A command that could not be handled; its bytes may be anything. */
export type DeadLetter = { content: Buffer; requestId: string; reason: string }

type Options = {
  /** One URL, or those of the nodes of a cluster: the next one is tried whenever a connection ends. */
  url: string | readonly string[]
  service: string
  log: Log
  /** BUS_QUEUES. */
  queues?: QueueType
}

/** Written to a table one by one. */
const DEAD_LETTERS_AT_ONCE = 4

/** Handlers use at most this many rows or outside calls at once: not far above the database pool. */
const COMMANDS_AT_ONCE = 16
const QUESTIONS_AT_ONCE = 64
const EVENTS_AT_ONCE = 64
const START_WITHIN_MS = 5_000

/**
 * What a service publishes and consumes over RabbitMQ. Handlers are added before `start`; each new connection gets them all.
 * Nothing that is published is certain to arrive: rows republish commands, callers repeat questions, and events are hints.
 */
export class Bus {
  readonly #publisher: Publisher
  readonly #consumer: Consumer
  readonly #type: QueueType

  constructor({ url, service, log, queues = 'classic' }: Options) {
    const urls = [url].flat()
    this.#type = queues
    this.#publisher = new Publisher({ urls, service, type: queues, log })
    this.#consumer = new Consumer({ urls, service, log })
    this.#observe()
  }

  /**
   * Publishes a command. Commands to one queue that arise in the same turn of the event loop share a message; with `gatherMs`
   * they are gathered for at most so many milliseconds. Resolves when the message is written to the connection, and may be lost
   * after that; rejects with NotPublished.
   */
  publish<S extends z.ZodType>(
    command: Command<S>,
    data: z.input<S>,
    context: Context & { gatherMs?: number },
  ): Promise<void> {
    return this.#publisher.command(command, data, context)
  }

  /** Asks a question, again while there is no answer. Rejects with NoAnswer or NotPublished; then nothing has happened. */
  async ask<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    data: z.input<S>,
    context: Context & { timeoutMs: number },
  ): Promise<z.output<A>> {
    return question.answer.parse(await this.#publisher.question(question, data, context))
  }

  #observe(): void {
    const gauges = {
      'platter.queue.messages': { unit: '{message}', description: 'Messages that wait in a queue.' },
    }
    observe(gauges, async () => {
      const depths = await this.#consumer.depths()
      return {
        'platter.queue.messages': depths.map(({ queue, waiting }) => ({
          value: waiting,
          attributes: named(queue),
        })),
      }
    })
  }

  /** Publishes an event. Best effort: nothing depends on it. */
  nudge<S extends z.ZodType>(nudge: Nudge<S>, data: z.input<S>): void {
    this.#publisher.nudge(nudge, data)
  }

  /**
   * Handles `atOnce` commands at a time, however many share a message. A message is acknowledged when all of its commands are
   * handled. A command that does not fit its schema, or whose handler fails, becomes a dead letter; one for which only something
   * is unavailable is dropped, and its row republishes it.
   */
  onCommand<S extends z.ZodType>(
    command: Command<S>,
    handler: (data: z.output<S>, received: Received) => Promise<void>,
    { atOnce = COMMANDS_AT_ONCE } = {},
  ): void {
    this.#consumer.add({
      name: command.name,
      declare: (channel) => declareCommand(channel, command, this.#type),
      otherQueues: otherQueuesOf(command, this.#type),
      atOnce,
      handle: async (delivery) => handler(command.data.parse(delivery.data), delivery),
      failed: (delivery) => this.#publisher.deadLetter(command, delivery.content(), delivery),
    })
  }

  /**
   * Takes the dead letters of a command out of RabbitMQ, once `keep` has stored them. One that cannot be stored stays there:
   * `keep` should try for as long as it takes, because it is redelivered with the next connection only.
   */
  onDeadLetter(command: Command, keep: (letter: DeadLetter) => Promise<void>): void {
    this.#consumer.add({
      name: deadQueueOf(command),
      declare: (channel) => declareDead(channel, command),
      atOnce: DEAD_LETTERS_AT_ONCE,
      keeps: true,
      handle: ({ content, requestId, headers }) =>
        keep({ content: content(), requestId, reason: reasonOfDeath(headers) }),
    })
  }

  /** Republishes a dead letter, byte for byte. Resolves when RabbitMQ has confirmed it; rejects with NotPublished. */
  publishAgain(command: Command, { content, requestId }: Omit<DeadLetter, 'reason'>): Promise<void> {
    return this.#publisher.again(command, content, { requestId })
  }

  onQuestion<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    handler: (data: z.output<S>, received: Received) => Promise<z.input<A>>,
  ): void {
    this.#consumer.add({
      name: question.name,
      declare: (channel) => declareQuestion(channel, question, this.#type),
      otherQueues: otherQueuesOf(question, this.#type),
      atOnce: QUESTIONS_AT_ONCE,
      noAck: true,
      handle: async (delivery) => {
        const answer = await handler(question.data.parse(delivery.data), delivery)
        this.#publisher.reply(delivery.replyTo, delivery.id ?? '', answer)
      },
    })
  }

  onNudge<S extends z.ZodType>(nudge: Nudge<S>, handler: (data: z.output<S>) => void): void {
    this.#consumer.add({
      name: nudge.name,
      declare: (channel) => declareNudge(channel, nudge),
      atOnce: EVENTS_AT_ONCE,
      noAck: true,
      isUntraced: true,
      handle: async ({ data }) => handler(nudge.data.parse(data)),
    })
  }

  /**
   * Connects, and goes on trying for ever. Resolves when connected, or after five seconds: a service whose broker is unavailable
   * starts all the same, because it can do much without.
   */
  async start(): Promise<void> {
    const kept = [this.#publisher.connection, this.#consumer.connection]
    await Promise.all(kept.map((connection) => connection.start(START_WITHIN_MS)))
  }

  /** For readiness: rejects with the reason while anything is not connected. */
  async check(): Promise<void> {
    this.#publisher.connection.get()
    this.#consumer.connection.get()
  }

  /** Takes no more messages, and waits for those in hand. */
  quiesce(): Promise<void> {
    return this.#consumer.quiesce()
  }

  async close(): Promise<void> {
    await Promise.all([this.#consumer.connection.close(), this.#publisher.close()])
  }
}

const named = (queue: string) => ({ 'messaging.destination.name': queue })
