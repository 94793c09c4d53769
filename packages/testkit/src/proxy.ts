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

/** Starts a proxy. `delayMs` delays the bytes in both directions. `filter` transforms the bytes that clients send. */
export async function proxyTo(
  serverUrl: string,
  { delayMs = 0, filter }: { delayMs?: number; filter?: () => Transform } = {},
): Promise<Proxy> {
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
    forward(client, upstream, { ...settings, filter: filter?.() })
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
  filter?: Transform | undefined
}

function forward(one: Socket, other: Socket, { pipes, frozen, delayMs, filter }: Settings): void {
  const late = delayMs === 0 ? other : through(other, delay(delayMs))
  const pipe = filter ? through(late, filter) : late
  pipes.set(one, pipe)
  // When one socket is reset, the other is closed too.
  one.on('error', () => other.destroy())
  one.on('close', () => {
    pipes.delete(one)
    other.destroy()
  })
  if (!frozen) one.pipe(pipe)
}

const delay = (delayMs: number) =>
  new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), delayMs)
      done()
    },
    flush: (done) => void setTimeout(done, delayMs),
  })

/** Pipes a transform into a destination. The transform is destroyed when the destination closes. */
function through(to: Writable, transform: Transform): Transform {
  to.once('close', () => transform.destroy())
  transform.pipe(to)
  return transform
}
