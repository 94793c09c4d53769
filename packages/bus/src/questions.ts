import { randomUUID } from 'node:crypto'
import type { Message } from 'amqplib'
import { decode, type Outgoing } from '#/message-format.ts'
import { Unavailable } from '#/unavailable.ts'

/**
 * A question is republished after 0.2, 0.6, 1.4 s and so on, because the question, the reply or the consumer may be lost. A reply
 * usually takes 1 to 5 ms.
 */
const FIRST_REPEAT_MS = 200

/** The pending questions of a process. */
export class Questions {
  readonly #pending = new Map<string, (data: unknown) => void>()
  /** A correlation id is this prefix and a number. */
  readonly #prefix = randomUUID()
  #count = 0

  /**
   * Returns the data of the reply. Rejects with Unavailable after `timeoutMs`, or with the error of the first publication. `publish`
   * rejects without a connection.
   */
  async ask(
    name: string,
    question: Outgoing,
    timeoutMs: number,
    publish: (item: Outgoing) => Promise<void>,
  ): Promise<unknown> {
    const deadline = performance.now() + timeoutMs
    const id = `${this.#prefix}.${(this.#count += 1)}`
    const left = () => Math.ceil(deadline - performance.now())
    const send = () => publish({ ...question, id, timeoutMs: left() })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, resolve)
    let delayMs = FIRST_REPEAT_MS
    let timer = setTimeout(repeat, Math.min(delayMs, timeoutMs))
    function repeat(): void {
      if (left() < 1) return reject(new Unavailable(`${name} got no reply in time`))
      send().catch(() => 'no connection; the next repeat may have one')
      delayMs *= 2
      timer = setTimeout(repeat, Math.min(delayMs, left()))
    }
    try {
      // Both are awaited together. Otherwise a reply timeout during the publication would be an unhandled rejection.
      const [reply] = await Promise.all([promise, send()])
      return reply
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  /** Resolves the questions whose replies the message contains. */
  receiveReplies(message: Message): void {
    for (const { id = '', data } of decode(message)) this.#pending.get(id)?.(data)
  }
}
