import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'

/** Keeps what leaves the processes and is nowhere at rest afterwards, each in a file, byte for byte. */
export class Recorder {
  readonly folder: string
  readonly #otlp: Server
  readonly #files: WriteStream[] = []
  #redis: Socket | null = null
  #ended = false

  constructor(folder: string) {
    this.folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const received = this.#file('otlp.jsonl')
    this.#otlp = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => received.write(chunk))
      request.on('end', () => {
        received.write('\n')
        response.setHeader('content-type', 'application/json').end('{}')
      })
    })
  }

  /** An OTLP receiver that takes everything; gives its URL. */
  async listen(): Promise<string> {
    this.#otlp.listen(0, '127.0.0.1')
    await once(this.#otlp, 'listening')
    return `http://127.0.0.1:${(this.#otlp.address() as AddressInfo).port}`
  }

  /** Every command that anybody sends to Redis, also after it was killed: what is in it expires. */
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

  /** When all is over: from now on no process sends. */
  async close(): Promise<void> {
    this.#ended = true
    this.#redis?.destroy()
    this.#otlp.closeAllConnections()
    this.#otlp.close()
    await once(this.#otlp, 'close')
    await Promise.all(this.#files.map((file) => once(file.end(), 'finish')))
  }

  #file(name: string): WriteStream {
    const file = createWriteStream(join(this.folder, name))
    this.#files.push(file)
    return file
  }
}

/** With whatever user and password the URL has. */
function redisConnection(url: string): Socket {
  const { hostname, port, username, password } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => 'it is being killed; "close" follows')
  if (password !== '')
    socket.write(`AUTH ${decodeURIComponent(username || 'default')} ${decodeURIComponent(password)}\r\n`)
  return socket
}

/** Sends commands to Redis, and gives what it says once it says that it is done with the last. */
export async function tellRedis(url: string, ...commands: string[]): Promise<string> {
  const socket = redisConnection(url)
  let said = ''
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
  socket.write([...commands, 'QUIT', ''].join('\r\n'))
  await once(socket, 'close')
  return said
}
