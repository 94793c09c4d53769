import { EventEmitter } from 'node:events'
import type { Connect } from '@platter/bus'
import type { Connection, Message } from './broker.ts'
import { me, simulation } from './simulation.ts'
import type { Process } from './world.ts'

/** Opens a connection to the simulated broker. It has the part of amqplib's interface that a run uses. */
export const connect: Connect = async () => {
  const { world, broker } = simulation()
  const owner = me()
  await new Promise<void>((resolve, reject) => {
    world.later(world.hop(), owner, () =>
      broker.up ? resolve() : reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    )
  })
  return new Model(owner) as unknown as Awaited<ReturnType<Connect>>
}

class Model extends EventEmitter {
  readonly wire: Connection
  readonly #channels: Channel[] = []
  #closed = false

  constructor(owner: Process) {
    super()
    this.wire = simulation().broker.connect(owner, (reason) => this.#end(reason))
  }

  async createChannel(): Promise<Channel> {
    if (this.#closed) throw new Error('the connection is closed')
    const channel = new Channel(this.wire)
    this.#channels.push(channel)
    return channel
  }

  createConfirmChannel(): Promise<Channel> {
    return this.createChannel()
  }

  async close(): Promise<void> {
    simulation().broker.end(this.wire, 'closed')
  }

  #end(reason: string): void {
    if (this.#closed) return
    this.#closed = true
    for (const channel of this.#channels) channel.end()
    this.emit('close', new Error(reason))
  }
}

type Taken = {
  content: Buffer
  properties: Record<string, unknown>
  fields: { redelivered: boolean; deliveryTag: number; routingKey: string }
}
type Options = Record<string, unknown>
type Confirmed = (error: Error | null) => void
type Published = [exchange: string, key: string, content: Buffer, options: Options, confirmed?: Confirmed]

class Channel extends EventEmitter {
  readonly #wire: Connection
  #closed = false
  #replyTag = ''
  #prefetch = 0

  constructor(wire: Connection) {
    super()
    this.#wire = wire
  }

  end(): void {
    this.#closed = true
    this.emit('close')
  }

  async assertQueue(name: string, { exclusive }: { exclusive?: boolean } = {}): Promise<{ queue: string }> {
    return { queue: simulation().broker.declareQueue(name, exclusive ? this.#wire : null) }
  }

  /** The bus checks only for queues of the other type, and all replicas use one type. */
  async checkQueue(name: string): Promise<void> {
    throw new Error(`NOT_FOUND - no queue '${name}'`)
  }

  async assertExchange(): Promise<void> {
    // The first binding creates the exchange.
  }

  async bindQueue(queue: string, exchange: string): Promise<void> {
    simulation().broker.bind(queue, exchange)
  }

  async prefetch(count: number): Promise<void> {
    this.#prefetch = count
  }

  async consume(
    queue: string,
    take: (message: Taken) => void,
    { noAck = false }: { noAck?: boolean } = {},
  ): Promise<{ consumerTag: string }> {
    const consumerTag = simulation().broker.consume(queue, {
      connection: this.#wire,
      prefetch: this.#prefetch || Infinity,
      noAck,
      take: ({ content, properties, redelivered }: Message, deliveryTag) => {
        if (this.#closed) return
        take({ content, properties, fields: { redelivered, deliveryTag, routingKey: queue } })
      },
    })
    if (queue === 'amq.rabbitmq.reply-to') this.#replyTag = consumerTag
    return { consumerTag }
  }

  ack(message: Taken): void {
    simulation().monitors.acked(message)
    this.#send(() => simulation().broker.ack(this.#wire, message.fields.deliveryTag))
  }

  publish(...[exchange, key, content, options, confirmed]: Published): boolean {
    const { world, broker } = simulation()
    const replyTo = options['replyTo'] === 'amq.rabbitmq.reply-to' ? this.#replyTag : options['replyTo']
    const properties = { ...options, ...(replyTo !== undefined && { replyTo }) }
    const about = exchange || key
    const enqueue = () => broker.publish(exchange, key, content, properties)
    this.#send(() => {
      world.note(`→ ${about} ${content.toString().slice(0, 300)}`)
      if (confirmed) return this.#confirm(enqueue(), confirmed)
      if (world.strikes('message lost, connection cut', about)) return broker.end(this.#wire)
      if (world.strikes('message dropped', about)) return
      if (!enqueue() && options['mandatory'])
        this.#return({ content, properties, fields: { routingKey: key } })
      if (world.strikes('message duplicated', about)) enqueue()
      if (world.strikes('message kept, connection cut', about)) broker.end(this.#wire)
    })
    return true
  }

  #confirm(arrived: boolean, confirmed: Confirmed): void {
    const { world } = simulation()
    world.later(world.hop(), this.#wire.owner, () => {
      if (!this.#closed) confirmed(arrived ? null : new Error('there is no such queue'))
    })
  }

  #return(message: object): void {
    const { world } = simulation()
    world.later(world.hop(), this.#wire.owner, () => {
      if (!this.#closed) this.emit('return', message)
    })
  }

  /** Data that is written to a closed connection is never read. */
  #send(run: () => void): void {
    if (this.#closed) throw new Error('the channel is closed')
    const { world } = simulation()
    world.arrive(world.hop(), this.#wire.owner, () => {
      if (this.#wire.open) run()
    })
  }
}
