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
    const id = `${this.#prefix}.${(this.#count += 1)}`
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, resolve)
    let timer: NodeJS.Timeout | undefined
    let delayMs = FIRST_REPEAT_MS
    // The sum of the delays to come. A standstill of the machine uses up one delay, and the question is repeated. With an end by the
    // clock, 17 of 3,000 failed at 12 standstills of 2.5 s.
    let leftMs = Math.ceil(timeoutMs)
    function send(): Promise<void> {
      const sent = publish({ ...question, id, timeoutMs: leftMs })
      const waitMs = Math.min(delayMs, leftMs)
      leftMs -= waitMs
      delayMs *= 2
      timer = setTimeout(repeat, waitMs)
      return sent
    }
    function repeat(): void {
      if (leftMs === 0) return reject(new Unavailable(`${name} got no reply in time`))
      send().catch(() => 'no connection; the next repeat may have one')
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
