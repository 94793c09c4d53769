import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform, type Writable } from 'node:stream'

/** A TCP proxy on the loopback interface that injects network faults. */
export type Proxy = {
  /** The server's URL with the proxy's address. */
  url: string
  /** Resets all connections, and each new connection until `mend`. */
  cut(): void
  mend(): void
  /** Keeps the connections open and forwards nothing until `thaw`. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Starts a proxy. `delayMs` delays the bytes in both directions. */
export async function proxyTo(serverUrl: string, { delayMs = 0 } = {}): Promise<Proxy> {
  const target = new URL(serverUrl)
  /** The destination of each socket's bytes. */
  const pipes = new Map<Socket, Writable>()
  const state = { whole: true, frozen: false }
  const server = createServer((client) => {
    if (!state.whole) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    const settings = { pipes, frozen: state.frozen, delayMs }
    forward(client, upstream, settings)
    forward(upstream, client, settings)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cutAll = () => {
    for (const socket of pipes.keys()) socket.resetAndDestroy()
  }
  return {
    url: url.href,
    cut() {
      state.whole = false
      cutAll()
    },
    mend() {
      state.whole = true
    },
    freeze() {
      state.frozen = true
      for (const [one, other] of pipes) one.unpipe(other)
    },
    thaw() {
      state.frozen = false
      for (const [one, other] of pipes) one.pipe(other)
    },
    async close() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}

type Settings = {
  pipes: Map<Socket, Writable>
  frozen: boolean
  delayMs: number
}

function forward(one: Socket, other: Socket, { pipes, frozen, delayMs }: Settings): void {
  const pipe = delayMs === 0 ? other : delayed(other, delayMs)
  pipes.set(one, pipe)
  // When one socket is reset, the other is closed too.
  one.on('error', () => other.destroy())
  one.on('close', () => {
    pipes.delete(one)
    other.destroy()
  })
  if (!frozen) one.pipe(pipe)
}

/** Returns a stream that passes its bytes on later. It is destroyed when the destination closes. */
function delayed(to: Writable, delayMs: number): Transform {
  const transform = new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), delayMs)
      done()
    },
    flush: (done) => void setTimeout(done, delayMs),
  })
  to.once('close', () => transform.destroy())
  transform.pipe(to)
  return transform
}
