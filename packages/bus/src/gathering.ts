import type { Options } from 'amqplib'
import type { Outgoing } from '#/message-format.ts'

/** Where a message goes: the default exchange unless there is another one. The same key means the same options. */
export type Destination = { exchange?: string; key: string; options?: Options.Publish }

/** More items in one message make it hardly cheaper and keep them all on one consumer. */
const MAX_ITEMS = 32
const MAX_CHARACTERS = 128 * 1024

type Bundle = {
  to: Destination
  items: Outgoing[]
  characters: number
  published: PromiseWithResolvers<void>
  timer: NodeJS.Timeout | null
  isDue: boolean
}

/**
 * Items to one destination share a message. It is published at the end of the turn of the event loop in which they arise, or
 * after the time for which they may be gathered.
 */
export class Gathering {
  readonly #publish: (to: Destination, items: readonly Outgoing[]) => void
  readonly #bundles = new Map<string, Bundle>()
  #isScheduled = false

  /** `publish` throws when it cannot. */
  constructor(publish: (to: Destination, items: readonly Outgoing[]) => void) {
    this.#publish = publish
  }

  /** Settles when the message with this item is published; rejects as `publish` throws. */
  add(to: Destination, item: Outgoing, gatherMs = 0): Promise<void> {
    const name = `${to.exchange ?? ''}|${to.key}`
    const bundle = this.#bundles.get(name) ?? this.#open(name, to)
    bundle.items.push(item)
    bundle.characters += item.json.length
    if (bundle.items.length >= MAX_ITEMS || bundle.characters >= MAX_CHARACTERS) this.#close(name, bundle)
    else if (gatherMs > 0 && !bundle.isDue)
      bundle.timer ??= setTimeout(() => this.#close(name, bundle), gatherMs)
    else this.#schedule(bundle)
    return bundle.published.promise
  }

  /** Publishes everything now. */
  flush(): void {
    for (const [name, bundle] of this.#bundles) this.#close(name, bundle)
  }

  #open(name: string, to: Destination): Bundle {
    const published = Promise.withResolvers<void>()
    const bundle = { to, items: [], characters: 0, published, timer: null, isDue: false }
    this.#bundles.set(name, bundle)
    return bundle
  }

  #schedule(bundle: Bundle): void {
    bundle.isDue = true
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      for (const [name, one] of this.#bundles) if (one.isDue) this.#close(name, one)
    })
  }

  #close(name: string, { to, items, published, timer }: Bundle): void {
    if (timer) clearTimeout(timer)
    this.#bundles.delete(name)
    try {
      this.#publish(to, items)
      published.resolve()
    } catch (error) {
      published.reject(error)
    }
  }
}
