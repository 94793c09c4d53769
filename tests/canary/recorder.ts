import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { startOtlpServer, type OtlpServer } from '../support/otlp-server.ts'

/** Records data that leaves the processes and is stored nowhere else. Each source has a file with the exact bytes. */
export class Recorder {
  readonly folder: string
  #otlp: OtlpServer | null = null
  readonly #files: WriteStream[] = []
  #redis: Socket | null = null
  #ended = false

  constructor(folder: string) {
    this.folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }

  /** Starts an OTLP receiver that accepts all requests. Returns its URL. */
  async listen(): Promise<string> {
    const received = this.#file('otlp.jsonl')
    this.#otlp = await startOtlpServer((body) => received.write(`${body}\n`))
    return this.#otlp.url
  }

  /**
   * Records every command that any client sends to Redis, also after Redis restarts. Values in Redis expire, so a later search
   * would miss them.
   */
  watchRedis(url: string): void {
    const commands = this.#file('redis-commands.txt')
    const watch = () => {
      if (this.#ended) return
      this.#redis = redisConnection(url)
      this.#redis.on('data', (chunk: Buffer) => commands.write(chunk))
      this.#redis.on('close', () => setTimeout(watch, 50))
      this.#redis.write('MONITOR\r\n')
    }
    watch()
  }

  /** Closes the recorder. The test calls it when no process sends any more. */
  async close(): Promise<void> {
    this.#ended = true
    this.#redis?.destroy()
    await this.#otlp?.close()
    await Promise.all(this.#files.map((file) => once(file.end(), 'finish')))
  }

  #file(name: string): WriteStream {
    const file = createWriteStream(join(this.folder, name))
    this.#files.push(file)
    return file
  }
}

/** Connects with the user and the password of the URL. */
function redisConnection(url: string): Socket {
  const { hostname, port, username, password } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => 'it is being killed; "close" follows')
  if (password !== '')
    socket.write(`AUTH ${decodeURIComponent(username || 'default')} ${decodeURIComponent(password)}\r\n`)
  return socket
}

/** Sends commands to Redis, and returns the replies when the last command has ended. */
export async function sendToRedis(url: string, ...commands: string[]): Promise<string> {
  const socket = redisConnection(url)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.write([...commands, 'QUIT', ''].join('\r\n'))
  await once(socket, 'close')
  return received
}
