import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Proxy = Awaited<ReturnType<typeof proxyTo>>

/** Starts a TCP proxy on the loopback interface that injects network faults. `delayMs` delays the bytes that clients send. */
export async function proxyTo(serverUrl: string, { delayMs = 0 } = {}) {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const state = { isCut: false, isFrozen: false }
  const server = createServer((client) => {
    if (state.isCut) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      if (state.isFrozen) socket.pause()
      socket.on('close', () => sockets.delete(socket))
    }
    forward(client, upstream, delayMs)
    forward(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cutAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    /** The server's URL with the proxy's address. */
    url: url.href,
    /** Resets all connections, and each new connection until `restore`. */
    cut(): void {
      state.isCut = true
      cutAll()
    },
    restore(): void {
      state.isCut = false
    },
    /** Keeps the connections open and forwards nothing until `thaw`. */
    freeze(): void {
      state.isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw(): void {
      state.isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async close(): Promise<void> {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(one: Socket, other: Socket, delayMs = 0): void {
  one.on('data', (chunk) => {
    if (delayMs === 0) other.write(chunk)
    else setTimeout(() => other.write(chunk), delayMs)
  })
  // When one socket is reset, the other is closed too.
  one.on('error', () => other.destroy())
  one.on('close', () => other.destroy())
}
