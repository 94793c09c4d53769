import { randomUUID } from 'node:crypto'
import type { Message } from 'amqplib'
import { decode, type Outgoing } from '#/message-format.ts'
import { NoReply } from '#/unavailable.ts'

/**
 * A question is republished at 0.2, 0.6 and 1.4 s and so on, because the message, its reply or its consumer may be lost. The usual
 * reply takes 1 to 5 ms.
 */
const FIRST_REPEAT_MS = 200

/** How a question is published. `toQueue` rejects without a connection. */
export type Asking = {
  toQueue: (item: Outgoing) => Promise<void>
  /** To the other name of the queue (topology.ts). */
  toOther: (item: Outgoing) => void
}

type Pending = { resolve: (data: unknown) => void; publishToOther: () => void }

/** The pending questions of a process. */
export class Questions {
  readonly #pending = new Map<string, Pending>()
  /** Correlation ids are this and a number. */
  readonly #prefix = randomUUID()
  #count = 0

  /** The data of the reply. Rejects with NoReply after `timeoutMs`, or with the error of the first publication. */
  async ask(name: string, question: Outgoing, timeoutMs: number, asking: Asking): Promise<unknown> {
    const deadline = performance.now() + timeoutMs
    const id = `${this.#prefix}.${(this.#count += 1)}`
    const left = () => Math.ceil(deadline - performance.now())
    const item = () => ({ ...question, id, timeoutMs: left() })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, publishToOther: () => asking.toOther(item()) })
    let delayMs = FIRST_REPEAT_MS
    let timer = setTimeout(repeat, Math.min(delayMs, timeoutMs))
    function repeat(): void {
      if (left() < 1) return reject(new NoReply(`${name} got no reply in time`))
      // After a rollback the queue may exist without a consumer.
      const mayLackConsumer = delayMs > FIRST_REPEAT_MS
      asking
        .toQueue(item())
        .then(() => (mayLackConsumer ? asking.toOther(item()) : undefined))
        .catch(() => 'no connection; the next repeat may have one')
      delayMs *= 2
      timer = setTimeout(repeat, Math.min(delayMs, left()))
    }
    try {
      // Awaited together: a reply timeout during the publication would be an unhandled rejection.
      const [reply] = await Promise.all([promise, asking.toQueue(item())])
      return reply
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  /** Resolves the questions whose replies the message contains. */
  receiveReplies(message: Message): void {
    for (const { id = '', data } of decode(message)) this.#pending.get(id)?.resolve(data)
  }

  /** RabbitMQ returned the question: its queue does not exist. */
  returned(id: string): void {
    this.#pending.get(id)?.publishToOther()
  }
}
