import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

export type Sent = {
  method?: string
  path: string
  headers?: Record<string, string>
  /** An object goes as JSON. */
  body?: unknown
  /** Goes away before the answer. */
  goneAfterMs?: number
}
/** `status` is 0 where there was none. */
export type Answer = { status: number; body: Record<string, unknown> }

const ANSWER_WITHIN_MS = 12_000
const LOST: Answer = { status: 0, body: {} }

/** Sends requests as they are, with any header and any body; an answer that is lost is no error. */
export class Sender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 })
  readonly #gateway: URL
  constructor(gateway: string) {
    this.#gateway = new URL(gateway)
  }

  send({ method, path, headers = {}, body, goneAfterMs }: Sent): Promise<Answer> {
    const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const sent = request({
      agent: this.#agent,
      host: this.#gateway.hostname,
      port: this.#gateway.port,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      timeout: ANSWER_WITHIN_MS,
    })
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(LOST))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: read(Buffer.concat(chunks)) }),
      )
    })
    // Killed, or gone by our own wish.
    sent.on('error', () => resolve(LOST))
    sent.on('timeout', () => sent.destroy())
    if (goneAfterMs !== undefined) setTimeout(() => sent.destroy(), goneAfterMs)
    sent.end(content)
    return promise
  }

  /** Bytes that may be no request at all, and the end of the connection. */
  async sendBytes(bytes: string): Promise<void> {
    const socket = connect(Number(this.#gateway.port), this.#gateway.hostname)
    socket.on('error', () => 'the gateway is being killed')
    const closed = once(socket, 'close')
    socket.write(bytes)
    socket.resume()
    await Promise.race([closed, wait(100)])
    socket.destroy()
    await closed
  }

  close(): void {
    this.#agent.destroy()
  }
}

function read(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  } catch {
    // A page or a partial response, whose content is not needed.
    return {}
  }
}
