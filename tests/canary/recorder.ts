import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'

/** Records data that leaves the processes and is stored nowhere else. Each source has a file with the exact bytes. */
export class Recorder {
  readonly folder: string
  readonly #otlp: Server
  #redis: Socket | null = null
  #ended = false

  constructor(folder: string) {
    this.folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const received = join(folder, 'otlp.jsonl')
    this.#otlp = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      // Also when the sender is killed. Requests arrive at the same time, so the chunks of each are written together.
      request.on('close', () => appendFileSync(received, Buffer.concat([...chunks, Buffer.from('\n')])))
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
    })
  }

  /** Starts an OTLP receiver that accepts all requests. Returns its URL. */
  async listen(): Promise<string> {
    this.#otlp.listen(0, '127.0.0.1')
    await once(this.#otlp, 'listening')
    return `http://127.0.0.1:${(this.#otlp.address() as AddressInfo).port}`
  }

  /**
   * Records every command that any client sends to Redis, also after Redis restarts. Values in Redis expire, so a later search
   * would miss them.
   */
  watchRedis(url: string): void {
    if (this.#ended) return
    this.#redis = redisConnection(url)
    this.#redis.on('data', (chunk) => appendFileSync(join(this.folder, 'redis-commands.txt'), chunk))
    this.#redis.on('close', () => setTimeout(() => this.watchRedis(url), 50))
    this.#redis.write('MONITOR\r\n')
  }

  /** Closes the recorder. The test calls it when no process sends any more. */
  async close(): Promise<void> {
    this.#ended = true
    this.#redis?.destroy()
    this.#otlp.closeAllConnections()
    this.#otlp.close()
    await once(this.#otlp, 'close')
  }
}

function redisConnection(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => 'it is being killed; "close" follows')
}

/** Sends commands to Redis, and resolves when the last one has ended. */
export async function sendToRedis(url: string, ...commands: string[]): Promise<void> {
  const socket = redisConnection(url).resume()
  socket.write([...commands, 'QUIT', ''].join('\r\n'))
  await once(socket, 'close')
}
