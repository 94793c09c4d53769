import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Transform, Writable } from 'node:stream'

/** A TCP proxy on the loopback interface that injects network faults. */
export type Proxy = {
  /** The server's URL with the proxy's address. */
  url: string
  /** Resets all connections, and each new connection until `restore`. */
  cut(): void
  restore(): void
  /** Keeps the connections open and forwards nothing until `thaw`. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Starts a proxy. `filter` transforms the bytes that clients send. */
export async function proxyTo(
  serverUrl: string,
  { filter }: { filter?: () => Transform } = {},
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
    const { frozen } = state
    forward(client, upstream, { pipes, frozen, filter: filter?.() })
    forward(upstream, client, { pipes, frozen })
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
    restore() {
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
  filter?: Transform | undefined
}

function forward(one: Socket, other: Socket, { pipes, frozen, filter }: Settings): void {
  const pipe = filter ? through(other, filter) : other
  pipes.set(one, pipe)
  // When one socket is reset, the other is closed too.
  one.on('error', () => other.destroy())
  one.on('close', () => {
    pipes.delete(one)
    other.destroy()
  })
  if (!frozen) one.pipe(pipe)
}

/** Pipes a transform into a destination. The transform is destroyed when the destination closes. */
function through(to: Writable, transform: Transform): Transform {
  to.once('close', () => transform.destroy())
  transform.pipe(to)
  return transform
}
