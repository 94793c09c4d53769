import { Transform } from 'node:stream'

/* AMQP 0-9-1, section 4.2.3: type (1 byte), channel (2), size of the payload (4), payload, end (1). */
const HEAD = 7
const END = 1
const METHOD = 1
const CONTENT_HEADER = 2
const CONTENT_BODY = 3
/** The client sends these bytes before its first frame: AMQP0091. */
const PROTOCOL_HEADER = 8

const BASIC_PUBLISH = 60 * 65_536 + 40
const CONFIRM_SELECT = 85 * 65_536 + 10

type Frame = { type: number; channel: number; payload: Buffer; bytes: Buffer }

/**
 * Drops published messages from the stream of a client to RabbitMQ; `isDropped` decides for each message. A channel with publisher
 * confirms keeps all of its messages, because a dropped message would shift RabbitMQ's count of confirms.
 */
export class DroppedPublishes extends Transform {
  readonly #isDropped: () => boolean
  #unread: Buffer = Buffer.alloc(0)
  #isFirst = true
  readonly #confirmed = new Set<number>()
  /** The remaining bytes of the body that is being dropped, by channel. */
  readonly #dropping = new Map<number, number>()

  constructor(isDropped: () => boolean) {
    super()
    this.#isDropped = isDropped
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#unread = Buffer.concat([this.#unread, chunk])
    if (this.#isFirst && this.#unread.length >= PROTOCOL_HEADER) {
      this.#isFirst = false
      this.push(this.#take(PROTOCOL_HEADER))
    }
    if (!this.#isFirst)
      for (let frame = this.#next(); frame; frame = this.#next())
        if (!this.#isPartOfDropped(frame)) this.push(frame.bytes)
    done()
  }

  #take(length: number): Buffer {
    const taken = this.#unread.subarray(0, length)
    this.#unread = this.#unread.subarray(length)
    return taken
  }

  #next(): Frame | null {
    if (this.#unread.length < HEAD) return null
    const size = this.#unread.readUInt32BE(3)
    if (this.#unread.length < HEAD + size + END) return null
    const bytes = this.#take(HEAD + size + END)
    return {
      type: bytes.readUInt8(0),
      channel: bytes.readUInt16BE(1),
      payload: bytes.subarray(HEAD, HEAD + size),
      bytes,
    }
  }

  #isPartOfDropped({ type, channel, payload }: Frame): boolean {
    const left = this.#dropping.get(channel)
    if (type === CONTENT_HEADER && left !== undefined) {
      // Class (2), weight (2), size of the body (8).
      this.#dropBody(channel, Number(payload.readBigUInt64BE(4)))
      return true
    }
    if (type === CONTENT_BODY && left !== undefined) {
      this.#dropBody(channel, left - payload.length)
      return true
    }
    if (type !== METHOD) return false
    const method = payload.readUInt32BE(0)
    if (method === CONFIRM_SELECT) this.#confirmed.add(channel)
    if (method !== BASIC_PUBLISH || this.#confirmed.has(channel) || !this.#isDropped()) return false
    this.#dropping.set(channel, 0)
    return true
  }

  #dropBody(channel: number, left: number): void {
    if (left > 0) this.#dropping.set(channel, left)
    else this.#dropping.delete(channel)
  }
}
