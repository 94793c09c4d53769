import { EventEmitter } from 'node:events'
import type { Connect } from '@platter/bus'
import { broker, currentProcess, world } from './simulation.ts'
import type { Process } from './world.ts'

type Properties = Record<string, unknown>
type Message = { content: Buffer; properties: Properties; redelivered: boolean }
/** A message as a client receives it. */
type Delivery = Omit<Message, 'redelivered'> & {
  fields: { redelivered: boolean; deliveryTag: number; routingKey: string }
}

type Queue = { name: string; exclusiveTo: Connection | null; ready: Message[]; consumers: Channel[] }

const LONGEST_DELAY_MS = 20_000
const REPLY_TO = 'amq.rabbitmq.reply-to'

/**
 * A fake of RabbitMQ with queues, acknowledgements, fanout, and redelivery after the end of a connection. It drops, duplicates,
 * delays and reorders messages, and may lose all of its data. It has no prefetch limit, because no run has so many messages.
 */
export class Broker {
  isUp = true
  readonly #queues = new Map<string, Queue>()
  readonly #exchanges = new Map<string, Set<string>>()
  readonly #connections = new Set<Connection>()
  /** The consumers of direct reply-to. */
  readonly #replyTo = new Map<string, Channel>()
  #tag = 0

  connect(owner: Process): Connection {
    const connection = new Connection(owner)
    this.#connections.add(connection)
    owner.onDeath(() => this.end(connection))
    return connection
  }

  /** Ends a connection and requeues its unacknowledged messages. */
  end(connection: Connection): void {
    if (!connection.isOpen) return
    connection.isOpen = false
    this.#connections.delete(connection)
    for (const [tag, channel] of this.#replyTo)
      if (channel.connection === connection) this.#replyTo.delete(tag)
    for (const queue of this.#queues.values()) {
      const gone = queue.consumers.filter((one) => one.connection === connection)
      queue.consumers = queue.consumers.filter((one) => one.connection !== connection)
      const back = gone.flatMap(({ unacknowledged }) => [...unacknowledged.values()])
      for (const message of back) this.#enqueue(queue, { ...message, redelivered: true })
      if (queue.exclusiveTo === connection) this.#queues.delete(queue.name)
    }
    world.schedule(world.hop(), connection.owner, () => connection.notify())
  }

  endAll(of: Process | null): void {
    for (const connection of this.#connections)
      if (of === null || connection.owner === of) this.end(connection)
  }

  /** Stops the broker for a time. `isWiped`: its disk is lost. */
  restart(forMs: number, isWiped: boolean): void {
    this.isUp = false
    this.endAll(null)
    if (isWiped) {
      this.#queues.clear()
      this.#exchanges.clear()
    }
    world.schedule(forMs, null, () => (this.isUp = true))
  }

  declareQueue(name: string, exclusiveTo: Connection | null): string {
    const own = name || `own.${this.#tag++}`
    if (!this.#queues.has(own)) this.#queues.set(own, { name: own, exclusiveTo, ready: [], consumers: [] })
    return own
  }

  bind(queue: string, exchange: string): void {
    this.#exchanges.set(exchange, (this.#exchanges.get(exchange) ?? new Set()).add(queue))
  }

  consume(name: string, channel: Channel): string {
    const tag = `c${this.#tag++}`
    const queue = this.#queues.get(name)
    if (!queue) this.#replyTo.set(tag, channel)
    else {
      queue.consumers.push(channel)
      this.#pump(queue)
    }
    return tag
  }

  /** Returns false if no such queue exists, so that the message cannot be routed. */
  publish(exchange: string, key: string, content: Buffer, properties: Properties): boolean {
    const message = { content, properties, redelivered: false }
    const direct = this.#replyTo.get(key)
    if (direct) {
      direct.deliver(message, ++this.#tag)
      return true
    }
    const names = exchange === '' ? [key] : [...(this.#exchanges.get(exchange) ?? [])]
    const queues = names.map((name) => this.#queues.get(name)).filter((queue) => queue !== undefined)
    for (const queue of queues) this.#enqueue(queue, message)
    return queues.length > 0
  }

  /** Returns true while a queue has ready or unacknowledged messages. Exclusive queues have only events. */
  get isBusy(): boolean {
    const shared = this.#queues.values().filter(({ exclusiveTo }) => exclusiveTo === null)
    return shared.some(({ ready, consumers }) => ready.length + unacknowledgedOf(consumers) > 0)
  }

  #enqueue(queue: Queue, message: Message): void {
    queue.ready.push(message)
    this.#pump(queue)
  }

  #pump({ ready, consumers }: Queue): void {
    if (consumers.length === 0) return
    for (const message of ready.splice(0)) world.random.pick(consumers).deliver(message, ++this.#tag)
  }
}

const unacknowledgedOf = (consumers: readonly Channel[]) =>
  consumers.reduce((all, { unacknowledged }) => all + unacknowledged.size, 0)

/** Opens a connection to the simulated broker. It has the part of amqplib's interface that a run uses. */
export const connect: Connect = async () => {
  const owner = currentProcess()
  await new Promise<void>((resolve) => world.schedule(world.hop(), owner, resolve))
  if (!broker.isUp) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  return broker.connect(owner) as unknown as Awaited<ReturnType<Connect>>
}

class Connection extends EventEmitter {
  readonly owner: Process
  /** Whether the broker has the connection. */
  isOpen = true
  /** Whether its client has learned of the end. */
  isEnded = false

  constructor(owner: Process) {
    super()
    this.owner = owner
  }

  async createChannel(): Promise<Channel> {
    if (this.isEnded) throw new Error('the connection is closed')
    return new Channel(this)
  }

  readonly createConfirmChannel = () => this.createChannel()

  async close(): Promise<void> {
    broker.end(this)
  }

  /** Notifies the client of the end, unless it is dead or frozen. */
  notify(): void {
    this.isEnded = true
    this.emit('close', new Error('the connection was cut'))
  }
}

/** A channel with at most one consumer. */
class Channel extends EventEmitter {
  readonly connection: Connection
  /** Messages by delivery tag. */
  readonly unacknowledged = new Map<number, Message>()
  #queue = ''
  #replyTag = ''
  #isAcknowledging = true
  #receive: (message: Delivery) => void = () => undefined

  constructor(connection: Connection) {
    super()
    this.connection = connection
  }

  async assertQueue(name: string, { exclusive }: { exclusive?: boolean } = {}): Promise<{ queue: string }> {
    return { queue: broker.declareQueue(name, exclusive ? this.connection : null) }
  }

  /** The bus checks only for queues of the other type, and all replicas use one type. */
  async checkQueue(name: string): Promise<void> {
    throw new Error(`NOT_FOUND - no queue '${name}'`)
  }

  async assertExchange(): Promise<void> {
    // The first binding creates the exchange.
  }

  async bindQueue(queue: string, exchange: string): Promise<void> {
    broker.bind(queue, exchange)
  }

  async prefetch(): Promise<void> {
    // See `Broker`.
  }

  async consume(
    queue: string,
    receive: (message: Delivery) => void,
    { noAck = false }: { noAck?: boolean },
  ): Promise<{ consumerTag: string }> {
    this.#queue = queue
    this.#receive = receive
    this.#isAcknowledging = !noAck
    this.#replyTag = broker.consume(queue, this)
    return { consumerTag: this.#replyTag }
  }

  /** Receives a message from the broker. */
  deliver(message: Message, deliveryTag: number): void {
    if (this.#isAcknowledging) this.unacknowledged.set(deliveryTag, message)
    const late = world.faultOccurs('message delayed') ? world.random.next() * LONGEST_DELAY_MS : 0
    world.schedule(world.hop() + late, this.connection.owner, () => {
      const { isOpen, isEnded } = this.connection
      // A client may still read data after the end of its connection, if the data arrived earlier.
      const isRead = isOpen || world.random.next() < 0.5
      const { redelivered, ...rest } = message
      const fields = { redelivered, deliveryTag, routingKey: this.#queue }
      if (isRead && !isEnded) this.#receive({ ...rest, fields })
    })
  }

  ack({ fields }: Delivery): void {
    this.#send(() => this.unacknowledged.delete(fields.deliveryTag))
  }

  publish(exchange: string, key: string, content: Buffer, options: Properties): boolean {
    // Only dead letters are confirmed, and no run may have one.
    if (key.endsWith('.dead')) world.recordViolation(`dead letter: ${content.toString()}`)
    const properties = options['replyTo'] === REPLY_TO ? { ...options, replyTo: this.#replyTag } : options
    const about = exchange || key
    const enqueue = () => broker.publish(exchange, key, content, properties)
    this.#send(() => {
      world.note(`→ ${about} ${content.toString().slice(0, 300)}`)
      if (world.faultOccurs('message lost, connection cut', about)) return broker.end(this.connection)
      if (world.faultOccurs('message dropped', about)) return
      const returned = { content, properties, fields: { routingKey: key } }
      if (!enqueue() && options['mandatory'])
        world.schedule(world.hop(), this.connection.owner, () => this.emit('return', returned))
      if (world.faultOccurs('message duplicated', about)) enqueue()
      if (world.faultOccurs('message kept, connection cut', about)) broker.end(this.connection)
    })
    return true
  }

  /** Data that is written to a closed connection is never read. */
  #send(run: () => unknown): void {
    if (this.connection.isEnded) throw new Error('the channel is closed')
    world.deliverRequest(world.hop(), this.connection.owner, () => {
      if (this.connection.isOpen) run()
    })
  }
}
