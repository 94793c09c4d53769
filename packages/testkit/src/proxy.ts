import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform, type Writable } from 'node:stream'

/** A TCP proxy on loopback in front of a server, which injects network faults. */
export type Proxy = {
  /** The server's URL, through the proxy. */
  url: string
  /** Resets all connections, and new ones until `mend`. */
  cut(): void
  mend(): void
  /** Forwards nothing until `thaw`, and keeps the connections open. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** `delayMs` delays the bytes of both directions. `filter` transforms the bytes of clients. */
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
  // A reset of one socket closes the other.
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

/** A transform in front of a destination, which ends with it. */
function through(to: Writable, transform: Transform): Transform {
  to.once('close', () => transform.destroy())
  transform.pipe(to)
  return transform
}
