import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { startOtlpServer, type OtlpServer } from '../support/otlp-server.ts'

const SERVICE_NAME = /"service\.name","value":\{"stringValue":"([^"]+)"/g

/** Records data that leaves the processes and is stored nowhere else. Each source has a file with the exact bytes. */
export class Recorder {
  readonly folder: string
  /** The services that have sent telemetry. */
  readonly exporters = new Set<string>()
  #otlp: OtlpServer | null = null
  #redis: Socket | null = null
  #ended = false

  constructor(folder: string) {
    this.folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }

  /** Starts an OTLP receiver that accepts all requests. Returns its URL. */
  async listen(): Promise<string> {
    const received = join(this.folder, 'otlp.jsonl')
    this.#otlp = await startOtlpServer((body) => {
      appendFileSync(received, `${body}\n`)
      for (const [, name = ''] of body.matchAll(SERVICE_NAME)) this.exporters.add(name)
    })
    return this.#otlp.url
  }

  /**
   * Records the commands that any client sends to Redis, also after Redis restarts, but not those of the 50 ms until the new
   * connection. Values in Redis expire, so a later search would miss them.
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
    await this.#otlp?.close()
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
