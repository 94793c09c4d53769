import { randomUUID } from 'node:crypto'
import type { Command, Nudge, Question } from '@platter/contracts'
import { inSpan, Problem, traceHeaders, type Log } from '@platter/kit'
import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage, Message } from 'amqplib'
import { KeptConnection } from './kept-connection.ts'
import { sending } from './spans.ts'
import { exchangeOf, QUESTION_LIFE_MS, queueOf } from './topology.ts'

const CONFIRM_WITHIN_MS = 5_000
/** More unconfirmed messages than that are refused: they would only wait in memory, and the rows ask again anyway. */
const MAX_UNCONFIRMED = 1_000

/**
 * A question that is not answered by then is asked once more, of whichever replica comes next: the first one may have
 * died with it, or is only just starting. (The usual answer takes 1 to 5 ms.)
 */
const ASK_AGAIN_MS = 700

/** What a client is told when a message came to nothing; what it was is for the log. */
class Away extends Problem {
  constructor(reason: string) {
    super('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: new Error(reason),
    })
  }
}

/** Nobody knows whether the message arrived, or it surely did not; either way its row says it again. */
export class NotConfirmed extends Away {}

/** No answer to a question in time. Nothing happened: questions only read. */
export class NoAnswer extends Away {}

type Waiting = { resolve(content: Buffer): void; reject(error: Error): void }

/** Questions and nudges go over a channel without confirms: who asks gets an answer or none, and RabbitMQ would say of each that it has it. */
type Session = { commands: ConfirmChannel; questions: Channel; blocked: boolean }

export type Context = { requestId: string }

/** Says commands, asks questions and nudges, over a connection of its own: a blocked one must not stop the consumers. */
export class Publisher {
  readonly connection: KeptConnection<Session>
  readonly #answers = new Map<string, Waiting>()
  readonly #unconfirmed = new Map<string, (error: Error | null) => void>()

  constructor(url: string, service: string, log: Log) {
    this.connection = new KeptConnection({
      url,
      name: `${service} publish`,
      setUp: (model, broken) => this.#setUp(model, broken),
      log,
    })
  }

  /** Resolves when RabbitMQ has the command for good; rejects with NotConfirmed otherwise. */
  command(command: Command, data: unknown, context: Context): Promise<void> {
    return inSpan(
      () => sending(queueOf(command), data),
      () => this.content(command, Buffer.from(JSON.stringify(data)), context),
    )
  }

  /** The same for bytes that are a message already. */
  async content(command: Command, content: Buffer, { requestId }: Context): Promise<void> {
    const session = this.#session()
    if (session.blocked) throw new NotConfirmed('RabbitMQ takes no messages for the moment')
    if (this.#unconfirmed.size >= MAX_UNCONFIRMED) throw new NotConfirmed('too many messages are unconfirmed')
    const messageId = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (error: Error | null) => {
      clearTimeout(timer)
      this.#unconfirmed.delete(messageId)
      if (error) reject(new NotConfirmed(error.message))
      else resolve()
    }
    const timer = setTimeout(() => settle(new Error('RabbitMQ did not confirm in time')), CONFIRM_WITHIN_MS)
    this.#unconfirmed.set(messageId, settle)
    const options = {
      messageId,
      persistent: true,
      mandatory: true,
      contentType: 'application/json',
      headers: { 'x-request-id': requestId, ...traceHeaders() },
    }
    try {
      session.commands.publish('', queueOf(command), content, options, settle)
    } catch (error) {
      // Between the beginning of a close and its end amqplib throws.
      settle(error instanceof Error ? error : new Error(String(error)))
    }
    return promise
  }

  /** The answer's bytes; rejects with NoAnswer when there is none within `timeoutMs`. */
  question(question: Question, data: unknown, context: Context & { timeoutMs: number }): Promise<Buffer> {
    return inSpan(
      () => sending(queueOf(question), data),
      () => this.#question(question, data, context),
    )
  }

  async #question(
    question: Question,
    data: unknown,
    { requestId, timeoutMs }: Context & { timeoutMs: number },
  ): Promise<Buffer> {
    const correlationId = randomUUID()
    const content = Buffer.from(JSON.stringify(data))
    const ask = () =>
      this.#session().questions.publish('', queueOf(question), content, {
        correlationId,
        replyTo: 'amq.rabbitmq.reply-to',
        mandatory: true,
        messageId: correlationId,
        expiration: Math.min(timeoutMs, QUESTION_LIFE_MS),
        contentType: 'application/json',
        headers: { 'x-request-id': requestId, ...traceHeaders() },
      })
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const timer = setTimeout(
      () => reject(new NoAnswer(`${question.name} was not answered in time`)),
      timeoutMs,
    )
    const again = setTimeout(() => {
      try {
        ask()
      } catch {
        // Without a connection the first one is not answered either; its time limit says so.
      }
    }, ASK_AGAIN_MS)
    this.#answers.set(correlationId, { resolve, reject })
    try {
      ask()
      return await promise
    } finally {
      clearTimeout(timer)
      clearTimeout(again)
      this.#answers.delete(correlationId)
    }
  }

  /** Best effort: nothing depends on it, so without a connection it is not said at all. */
  nudge(nudge: Nudge, data: unknown): void {
    try {
      this.connection.session?.questions.publish(exchangeOf(nudge), '', Buffer.from(JSON.stringify(data)), {
        contentType: 'application/json',
      })
    } catch {
      // Between the beginning of a close and its end amqplib throws: as good as no connection.
    }
  }

  #session(): Session {
    const { session } = this.connection
    if (session === null) throw new NotConfirmed('there is no connection to RabbitMQ')
    return session
  }

  async #setUp(model: ChannelModel, broken: (reason: Error) => void): Promise<Session> {
    const commands = await model.createConfirmChannel()
    const questions = await model.createChannel()
    for (const channel of [commands, questions]) this.#watch(channel, broken)
    // Direct reply-to: the answers come to the channel that asked, over no queue at all.
    await questions.consume('amq.rabbitmq.reply-to', (message) => this.#answered(message), { noAck: true })
    const session = { commands, questions, blocked: false }
    model.on('blocked', () => (session.blocked = true))
    model.on('unblocked', () => (session.blocked = false))
    return session
  }

  #watch(channel: Channel, broken: (reason: Error) => void): void {
    channel.on('error', broken)
    channel.on('close', () => {
      const gone = new Error('the channel was closed')
      for (const settle of this.#unconfirmed.values()) settle(gone)
      for (const answer of this.#answers.values()) answer.reject(new NoAnswer(gone.message))
      broken(gone)
    })
    channel.on('return', (message: Message) => this.#returned(message))
  }

  #answered(message: ConsumeMessage | null): void {
    if (message) this.#answers.get(String(message.properties.correlationId))?.resolve(message.content)
  }

  /** Nobody has declared the queue: its owner was never up. The return comes before the confirm. */
  #returned({ properties, fields }: Message): void {
    const id = String(properties.messageId)
    const nobody = `nobody takes ${fields.routingKey}`
    this.#unconfirmed.get(id)?.(new Error(nobody))
    this.#answers.get(id)?.reject(new NoAnswer(nobody))
  }
}
