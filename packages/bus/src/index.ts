import type { Command, Nudge, Question } from '@platter/contracts'
import { observe, type Log } from '@platter/kit'
import type { z } from 'zod'
import { Consumer, type Delivery } from './consumer.ts'
import { reasonOfDeath } from './death.ts'
import { Publisher, type Context } from './publisher.ts'
import { deadQueueOf, declareCommand, declareDead, declareNudge, declareQuestion } from './topology.ts'

export { NoAnswer, NotConfirmed } from './publisher.ts'
export { deadQueueOf, queueOf } from './topology.ts'
export type { Context } from './publisher.ts'

export type Received = Pick<Delivery, 'requestId' | 'redelivered'>

/** A message that could not be handled; its bytes may be anything. */
export type DeadLetter = { content: Buffer; requestId: string; reason: string }

/** Written to a table one by one. */
const DEAD_LETTERS_AT_ONCE = 4

/** Handlers use at most this many rows or outside calls at once: not far above the database pool. */
const COMMANDS_AT_ONCE = 16
const QUESTIONS_AT_ONCE = 64
const START_WITHIN_MS = 5_000

/** What a service says and hears over RabbitMQ. Handlers are added before `start`; each new connection gets them all. */
export class Bus {
  readonly #publisher: Publisher
  readonly #consumer: Consumer

  constructor({ url, service, log }: { url: string; service: string; log: Log }) {
    this.#publisher = new Publisher(url, service, log)
    this.#consumer = new Consumer(url, service, log)
    this.#observe()
  }

  /** Says a command. Resolves when RabbitMQ confirmed it; rejects with NotConfirmed. */
  publish<S extends z.ZodType>(command: Command<S>, data: z.input<S>, context: Context): Promise<void> {
    return this.#publisher.command(command, data, context)
  }

  /** Asks a question. Rejects with NoAnswer or NotConfirmed; then nothing has happened. */
  async ask<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    data: z.input<S>,
    context: Context & { timeoutMs: number },
  ): Promise<z.output<A>> {
    const answer = await this.#publisher.question(question, data, context)
    return question.answer.parse(JSON.parse(answer.toString()))
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

  /** Best effort: nothing depends on it. */
  nudge<S extends z.ZodType>(nudge: Nudge<S>, data: z.input<S>): void {
    this.#publisher.nudge(nudge, data)
  }

  /** A message that does not fit its schema goes to the dead letters at once. The ack comes when the handler is done. */
  onCommand<S extends z.ZodType>(
    command: Command<S>,
    handler: (data: z.output<S>, received: Received) => Promise<void>,
    { atOnce = COMMANDS_AT_ONCE } = {},
  ): void {
    this.#consumer.add({
      name: command.name,
      declare: (channel) => declareCommand(channel, command),
      prefetch: atOnce,
      handle: (delivery) => handler(read(command.data, delivery), delivery),
    })
  }

  /**
   * Takes the dead letters of a command out of RabbitMQ, once `keep` has stored them. One that cannot be stored
   * stays there: `keep` should try for as long as it takes, for it comes again with the next connection only.
   */
  onDeadLetter(command: Command, keep: (letter: DeadLetter) => Promise<void>): void {
    this.#consumer.add({
      name: deadQueueOf(command),
      declare: (channel) => declareDead(channel, command),
      prefetch: DEAD_LETTERS_AT_ONCE,
      keeps: true,
      handle: ({ content, requestId, headers }) =>
        keep({ content, requestId, reason: reasonOfDeath(headers) }),
    })
  }

  /** Says a dead letter again, byte for byte. Resolves when RabbitMQ confirmed it; rejects with NotConfirmed. */
  publishAgain(command: Command, { content, requestId }: Omit<DeadLetter, 'reason'>): Promise<void> {
    return this.#publisher.content(command, content, { requestId })
  }

  onQuestion<S extends z.ZodType, A extends z.ZodType>(
    question: Question<S, A>,
    handler: (data: z.output<S>, received: Received) => Promise<z.input<A>>,
  ): void {
    this.#consumer.add({
      name: question.name,
      declare: (channel) => declareQuestion(channel, question),
      prefetch: QUESTIONS_AT_ONCE,
      noAck: true,
      async handle(delivery, reply) {
        const answer = await handler(read(question.data, delivery), delivery)
        reply(Buffer.from(JSON.stringify(answer)))
      },
    })
  }

  onNudge<S extends z.ZodType>(nudge: Nudge<S>, handler: (data: z.output<S>) => void): void {
    this.#consumer.add({
      name: nudge.name,
      declare: (channel) => declareNudge(channel, nudge),
      prefetch: QUESTIONS_AT_ONCE,
      noAck: true,
      handle: async (delivery) => handler(read(nudge.data, delivery)),
    })
  }

  /**
   * Connects, and goes on trying for ever. Resolves when connected, or after five seconds: a service whose
   * broker is away starts all the same, for there is much that it can do without.
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
    await Promise.all([this.#consumer.connection.close(), this.#publisher.connection.close()])
  }
}

const named = (queue: string) => ({ 'messaging.destination.name': queue })

const read = <S extends z.ZodType>(schema: S, { content }: Delivery): z.output<S> =>
  schema.parse(JSON.parse(content.toString()))
