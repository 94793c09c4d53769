import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy on loopback in front of a server, to cut connections as a failing network would. */
export type Proxy = {
  /** The server's URL, through the proxy. */
  url: string
  /** Cuts every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function proxyTo(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const state = { whole: true }
  const server = createServer((client) => {
    if (!state.whole) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      // A cut is what the proxy is for: both ends learn of it from their closed sockets.
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
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
    url: url.href,
    cut() {
      state.whole = false
      cutAll()
    },
    mend() {
      state.whole = true
    },
    async close() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}
