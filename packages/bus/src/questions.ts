import { randomUUID } from 'node:crypto'
import type { Message } from 'amqplib'
import { decode, type Outgoing } from '#/message-format.ts'
import { NoAnswer } from '#/unavailable.ts'

/**
 * A question is repeated after so long, then after twice as long, and so on: at 0.2, 0.6 and 1.4 s. The message, its reply or
 * its consumer may be lost. The usual reply takes 1 to 5 ms.
 */
const FIRST_REPEAT_MS = 200

/** How a question is published. Rejects without a connection. */
export type Asking = {
  toQueue: (item: Outgoing) => Promise<void>
  /** To the same queue under its other names (topology.ts). */
  toOthers: (item: Outgoing) => void
}

type Pending = { resolve: (data: unknown) => void; askOthers: () => void }

/** Questions that wait for their replies. */
export class Questions {
  readonly #pending = new Map<string, Pending>()
  /** Correlation ids are this and a number. */
  readonly #prefix = randomUUID()
  #count = 0

  /** The data of the reply. Rejects with NoAnswer when there is none in time, or as the first publication does. */
  async ask(name: string, question: Outgoing, timeoutMs: number, asking: Asking): Promise<unknown> {
    const deadline = performance.now() + timeoutMs
    const id = `${this.#prefix}.${(this.#count += 1)}`
    const left = () => Math.ceil(deadline - performance.now())
    const item = () => ({ ...question, id, timeoutMs: left() })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, askOthers: () => asking.toOthers(item()) })
    let delayMs = FIRST_REPEAT_MS
    let timer = setTimeout(repeat, Math.min(delayMs, timeoutMs))
    function repeat(): void {
      if (left() < 1) return reject(new NoAnswer(`${name} was not answered in time`))
      // Who declared the queue may have been rolled back: then it is there, and nobody consumes it.
      const mayBeDeserted = delayMs > FIRST_REPEAT_MS
      asking
        .toQueue(item())
        .then(() => (mayBeDeserted ? asking.toOthers(item()) : undefined))
        .catch(() => 'there is no connection at the moment; there may be one at the next repeat')
      delayMs *= 2
      timer = setTimeout(repeat, Math.min(delayMs, left()))
    }
    try {
      // Both at once: a reply timeout while the publication is awaited would be an unhandled rejection.
      const [reply] = await Promise.all([promise, asking.toQueue(item())])
      return reply
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  answered(message: Message): void {
    for (const { id = '', data } of decode(message)) this.#pending.get(id)?.resolve(data)
  }

  /** Nobody has declared the queue that the question was published to. */
  returned(id: string): void {
    this.#pending.get(id)?.askOthers()
  }
}
