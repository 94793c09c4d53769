import type { Options } from 'amqplib'
import type { Outgoing } from '#/message-format.ts'

/** Destinations with the same exchange and key are equal. */
export type Destination = {
  /** The default exchange if absent. */
  exchange?: string
  key: string
  options?: Options.Publish
  /** A message waits this time for further items; if absent, until the end of the event loop's turn. */
  delayMs?: number
}

/** Larger batches would save little, and one consumer would receive all items. */
const MAX_ITEMS = 32
const MAX_CHARACTERS = 128 * 1024

type Batch = {
  to: Destination
  items: Outgoing[]
  characters: number
  published: PromiseWithResolvers<void>
}

/** Batches items for one destination into one message. */
export class Batcher {
  readonly #publish: (to: Destination, items: readonly Outgoing[]) => void
  readonly #batches = new Map<string, Batch>()
  /** The functions that close the batches at the end of the event loop's turn. */
  readonly #due: (() => void)[] = []

  /** `publish` throws if the message cannot be written. */
  constructor(publish: (to: Destination, items: readonly Outgoing[]) => void) {
    this.#publish = publish
  }

  /** Resolves when the message with this item is published; rejects with the error of `publish`. */
  add(to: Destination, item: Outgoing): Promise<void> {
    const name = `${to.exchange ?? ''}|${to.key}`
    const batch = this.#batches.get(name) ?? this.#open(name, to)
    batch.items.push(item)
    batch.characters += item.json.length
    if (batch.items.length >= MAX_ITEMS || batch.characters >= MAX_CHARACTERS) this.#close(name, batch)
    return batch.published.promise
  }

  /** Publishes all batches now. */
  flush(): void {
    for (const [name, batch] of this.#batches) this.#close(name, batch)
  }

  #open(name: string, to: Destination): Batch {
    const batch = { to, items: [], characters: 0, published: Promise.withResolvers<void>() }
    this.#batches.set(name, batch)
    const close = () => this.#close(name, batch)
    if (to.delayMs) setTimeout(close, to.delayMs)
    else if (this.#due.push(close) === 1) setImmediate(() => this.#due.splice(0).forEach((one) => one()))
    return batch
  }

  /** A full batch is closed before its time. */
  #close(name: string, batch: Batch): void {
    if (this.#batches.get(name) !== batch) return
    this.#batches.delete(name)
    try {
      this.#publish(batch.to, batch.items)
      batch.published.resolve()
    } catch (error) {
      batch.published.reject(error)
    }
  }
}
