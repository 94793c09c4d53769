import type { Process, World } from './world.ts'

export type Message = {
  content: Buffer
  properties: Record<string, unknown>
  redelivered: boolean
}

/** `unacked`: unacknowledged messages by delivery tag. */
type Consumer = {
  connection: Connection
  tag: string
  prefetch: number
  noAck: boolean
  unacked: Map<number, Message>
  take: (message: Message, deliveryTag: number) => void
}

type Queue = { name: string; exclusiveTo: Connection | null; ready: Message[]; consumers: Consumer[] }

/** The broker's end of a connection. `closed` notifies the client, unless it is dead or frozen. */
export type Connection = { owner: Process; open: boolean; closed: (reason: string) => void }

const LONGEST_DELAY_MS = 20_000

/**
 * A fake of RabbitMQ with queues, prefetch, acknowledgements, fanout, and redelivery after the end of a connection. It drops,
 * duplicates, delays and reorders messages, and may lose all of its data.
 */
export class Broker {
  up = true
  /** Messages that a handler rejected. Each one is a defect. */
  readonly deadLetters: string[] = []
  readonly #world: World
  readonly #queues = new Map<string, Queue>()
  readonly #exchanges = new Map<string, Set<string>>()
  readonly #connections = new Set<Connection>()
  readonly #replyTo = new Map<string, Consumer>()
  #tag = 0

  constructor(world: World) {
    this.#world = world
  }

  connect(owner: Process, closed: (reason: string) => void): Connection {
    const connection = { owner, open: true, closed }
    this.#connections.add(connection)
    owner.whenDead(() => this.end(connection))
    return connection
  }

  /** Ends a connection and requeues its unacknowledged messages. */
  end(connection: Connection, reason = 'the connection was cut'): void {
    if (!connection.open) return
    connection.open = false
    this.#connections.delete(connection)
    for (const [tag, consumer] of this.#replyTo)
      if (consumer.connection === connection) this.#replyTo.delete(tag)
    for (const queue of this.#queues.values()) {
      const gone = queue.consumers.filter((one) => one.connection === connection)
      queue.consumers = queue.consumers.filter((one) => one.connection !== connection)
      const back = gone.flatMap(({ unacked }) => [...unacked.values()])
      for (const message of back) this.#ready(queue, { ...message, redelivered: true })
      if (queue.exclusiveTo === connection) this.#queues.delete(queue.name)
    }
    this.#world.later(this.#world.hop(), connection.owner, () => connection.closed(reason))
  }

  endAll(of: Process | null): void {
    for (const connection of this.#connections)
      if (of === null || connection.owner === of) this.end(connection)
  }

  /** Stops the broker for a time. `wiped`: its disk is lost. */
  restart(forMs: number, wiped: boolean): void {
    this.up = false
    this.endAll(null)
    if (wiped) {
      this.#queues.clear()
      this.#exchanges.clear()
    }
    this.#world.later(forMs, null, () => (this.up = true))
  }

  declareQueue(name: string, exclusiveTo: Connection | null): string {
    const own = name || `own.${this.#tag++}`
    if (!this.#queues.has(own)) this.#queues.set(own, { name: own, exclusiveTo, ready: [], consumers: [] })
    return own
  }

  bind(queue: string, exchange: string): void {
    this.#exchanges.set(exchange, (this.#exchanges.get(exchange) ?? new Set()).add(queue))
  }

  consume(name: string, consumer: Omit<Consumer, 'unacked' | 'tag'>): string {
    const tag = `c${this.#tag++}`
    const complete = { ...consumer, tag, unacked: new Map<number, Message>() }
    const queue = this.#queues.get(name)
    if (!queue) this.#replyTo.set(tag, complete)
    else {
      queue.consumers.push(complete)
      this.#pump(queue)
    }
    return tag
  }

  /** Returns false if no such queue exists, so that the message cannot be routed. */
  publish(exchange: string, key: string, content: Buffer, properties: Record<string, unknown>): boolean {
    if (key.endsWith('.dead')) this.deadLetters.push(content.toString())
    const message = { content, properties, redelivered: false }
    const direct = this.#replyTo.get(key)
    if (direct) {
      this.#hand(direct, message)
      return true
    }
    const names = exchange === '' ? [key] : [...(this.#exchanges.get(exchange) ?? [])]
    const queues = names.map((name) => this.#queues.get(name)).filter((queue) => queue !== undefined)
    for (const queue of queues) this.#ready(queue, message)
    return queues.length > 0
  }

  ack(connection: Connection, deliveryTag: number): void {
    if (!connection.open) return
    for (const queue of this.#queues.values())
      for (const consumer of queue.consumers)
        if (consumer.connection === connection && consumer.unacked.delete(deliveryTag)) {
          this.#pump(queue)
          return
        }
  }

  /** Returns the number of ready and unacknowledged messages, without those of exclusive queues. */
  get waiting(): number {
    return [...this.#queues.values()]
      .filter(({ exclusiveTo }) => exclusiveTo === null)
      .reduce(
        (sum, { ready, consumers }) =>
          sum + ready.length + consumers.reduce((all, { unacked }) => all + unacked.size, 0),
        0,
      )
  }

  #ready(queue: Queue, message: Message): void {
    queue.ready.push(message)
    this.#pump(queue)
  }

  #pump(queue: Queue): void {
    while (queue.ready.length > 0) {
      const free = queue.consumers.filter(({ unacked, prefetch }) => unacked.size < prefetch)
      if (free.length === 0) return
      const message = queue.ready.shift()
      if (message) this.#hand(this.#world.random.pick(free), message)
    }
  }

  #hand(consumer: Consumer, message: Message): void {
    const world = this.#world
    const deliveryTag = ++this.#tag
    if (!consumer.noAck) consumer.unacked.set(deliveryTag, message)
    const late = world.strikes('message delayed') ? world.random.next() * LONGEST_DELAY_MS : 0
    world.later(world.hop() + late, consumer.connection.owner, () => {
      // A client may still read data after the end of its connection, if the data arrived earlier.
      if (consumer.connection.open || world.random.next() < 0.5) consumer.take(message, deliveryTag)
    })
  }
}
