import type { Options } from 'amqplib'
import type { Outgoing } from '#/message-format.ts'

/**
 * The exchange (the default exchange if absent) and routing key of a message. Destinations with the same key have the same options.
 */
export type Destination = { exchange?: string; key: string; options?: Options.Publish }

/** Larger batches would save little, and one consumer would receive all items. */
const MAX_ITEMS = 32
const MAX_CHARACTERS = 128 * 1024

type Batch = {
  to: Destination
  items: Outgoing[]
  characters: number
  published: PromiseWithResolvers<void>
  timer: NodeJS.Timeout | null
  isDue: boolean
}

/**
 * Batches items for one destination into one message. The message is published at the end of the event loop's turn, or after
 * `batchDelayMs`.
 */
export class Batcher {
  readonly #publish: (to: Destination, items: readonly Outgoing[]) => void
  readonly #batches = new Map<string, Batch>()
  #isScheduled = false

  /** `publish` throws if the message cannot be written. */
  constructor(publish: (to: Destination, items: readonly Outgoing[]) => void) {
    this.#publish = publish
  }

  /** Resolves when the message with this item is published; rejects with the error of `publish`. */
  add(to: Destination, item: Outgoing, batchDelayMs = 0): Promise<void> {
    const name = `${to.exchange ?? ''}|${to.key}`
    const batch = this.#batches.get(name) ?? this.#open(name, to)
    batch.items.push(item)
    batch.characters += item.json.length
    if (batch.items.length >= MAX_ITEMS || batch.characters >= MAX_CHARACTERS) this.#close(name, batch)
    else if (batchDelayMs > 0 && !batch.isDue)
      batch.timer ??= setTimeout(() => this.#close(name, batch), batchDelayMs)
    else this.#schedule(batch)
    return batch.published.promise
  }

  /** Publishes all batches now. */
  flush(): void {
    for (const [name, batch] of this.#batches) this.#close(name, batch)
  }

  #open(name: string, to: Destination): Batch {
    const published = Promise.withResolvers<void>()
    const batch = { to, items: [], characters: 0, published, timer: null, isDue: false }
    this.#batches.set(name, batch)
    return batch
  }

  #schedule(batch: Batch): void {
    batch.isDue = true
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      for (const [name, one] of this.#batches) if (one.isDue) this.#close(name, one)
    })
  }

  #close(name: string, { to, items, published, timer }: Batch): void {
    if (timer) clearTimeout(timer)
    this.#batches.delete(name)
    try {
      this.#publish(to, items)
      published.resolve()
    } catch (error) {
      published.reject(error)
    }
  }
}
