import { connect, type Socket } from 'node:net'
import { within } from '../../../dev/process/wait.ts'
import type { Reply } from './loop.ts'

/*
 * Persistent HTTP connections that send prepared bytes. A generator shares the cores with the measured processes. These connections
 * take 40 µs of CPU for each request, a third of undici's pool, because they parse only the head of a response.
 */

type Request = { bytes: string; expects: number | undefined; resolve: (reply: Reply) => void }

const END_OF_HEAD = Buffer.from('\r\n\r\n')
/** A request with almost no cost for the gateway. */
const PROBE = 'GET / HTTP/1.1\r\nhost: platter\r\n\r\n'
const OPEN_WITHIN_MS = 15_000
/**
 * The delay before a connection without any response is replaced. A refused connection takes 32 µs of CPU. Without the delay, a
 * gateway that is down would cost an entire core of the measured processes. With it, 800 connections cost 0.1 of a core.
 */
const REPLACE_DELAY_MS = 250

export class Connections {
  readonly #origins: readonly URL[]
  readonly #open = new Set<Connection>()
  /** Connections are used in turn, because the gateway closes one that has carried no request within 5 s. */
  readonly #idle: Connection[] = []
  /** Requests that found no idle connection wait here, as behind a load balancer. Their waiting time counts. */
  #queue: Request[] = []
  #next = 0
  #isOver = false

  constructor(origins: readonly string[], count: number) {
    this.#origins = origins.map((origin) => new URL(origin))
    for (let made = 0; made < count; made++) this.#idle.push(this.#make(made))
  }

  /**
   * Resolves when each connection has carried a request. The gateway accepts 800 connections one after another, in 0.3 s. Rejects if
   * the gateway closes one: requests on it would be lost, and the measurement would not be one of the gateway.
   */
  async probe(): Promise<void> {
    const replies = Promise.all(Array.from({ length: this.#open.size }, () => this.send(PROBE)))
    const closed = (await within(OPEN_WITHIN_MS, replies))?.filter(({ status }) => status === 0).length
    if (closed === 0) return
    throw new Error(
      closed === undefined
        ? `not all connections carried a request within ${OPEN_WITHIN_MS} ms`
        : `${closed} connections were closed: is their number above CONNECTIONS_PER_ADDRESS?`,
    )
  }

  /** Sends a request. The reply has a failure if its status is not the expected one. */
  send(bytes: string, expects?: number): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>()
    const request = { bytes, expects, resolve }
    const connection = this.#idle.shift()
    if (connection) connection.send(request)
    else this.#queue.push(request)
    return promise
  }

  /** Called by a connection that can take its next request. */
  release(connection: Connection): void {
    const request = this.#queue[this.#next++]
    if (request) return connection.send(request)
    this.#idle.push(connection)
    this.#queue = []
    this.#next = 0
  }

  /** Called by a connection that has ended. */
  replace(connection: Connection): void {
    this.#open.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    const open = () => {
      if (!this.#isOver) this.release(this.#make(connection.origin))
    }
    if (connection.hasReplied) open()
    else setTimeout(open, REPLACE_DELAY_MS)
  }

  /** Closes all connections. Requests without a response end with status 0. */
  close(): void {
    this.#isOver = true
    for (const { resolve } of this.#queue.slice(this.#next)) resolve({ status: 0, failure: 'never sent' })
    this.#queue = []
    for (const connection of this.#open) connection.close()
  }

  #make(number: number): Connection {
    const origin = number % this.#origins.length
    const { hostname: host, port } = this.#origins[origin]!
    const made = new Connection(connect({ host, port: Number(port), noDelay: true }), this, origin)
    this.#open.add(made)
    return made
  }
}

class Connection {
  readonly #socket: Socket
  readonly #all: Connections
  /** The index of the target in the origins. */
  readonly origin: number
  /** True after its first response. */
  hasReplied = false
  #received: Buffer | null = null
  #request: Request | null = null

  constructor(socket: Socket, all: Connections, origin: number) {
    this.#socket = socket
    this.#all = all
    this.origin = origin
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#end({ status: 0, failure: 'the connection was closed' })
      all.replace(this)
    })
  }

  send(request: Request): void {
    this.#request = request
    this.#socket.write(request.bytes)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const received = this.#received === null ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = received
    const end = received.indexOf(END_OF_HEAD)
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    const length = lengthOf(head)
    if (Number.isNaN(length)) return this.close()
    if (received.length < end + 4 + length) return
    this.#received = null
    this.hasReplied = true
    const reply = replyOf(head)
    const { expects = reply.status } = this.#request ?? {}
    const body = () => received.toString('utf8', end + 4, end + 504)
    this.#end(reply.status === expects ? reply : { ...reply, failure: `${reply.status} ${body()}` })
    if (/\r\nconnection: close/i.test(head)) return this.close()
    this.#all.release(this)
  }

  #end(reply: Reply): void {
    this.#request?.resolve(reply)
    this.#request = null
  }
}

const statusOf = (head: string): number => Number(head.slice(9, 12))

/** Returns NaN without a length. A 304 has no body (RFC 9110, 15.4.5). */
const lengthOf = (head: string): number =>
  statusOf(head) === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)

function replyOf(head: string): Reply {
  const status = statusOf(head)
  const isRefused = status === 429 || status === 503
  return { status, lacksRetryAfter: isRefused && !/\r\nretry-after: \d/i.test(head) }
}
