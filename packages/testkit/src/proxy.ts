import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform, type Writable } from 'node:stream'

/** A TCP proxy on loopback in front of a server, to cut connections as a failing network would. */
export type Proxy = {
  /** The server's URL, through the proxy. */
  url: string
  /** Cuts every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  /** Passes nothing on until `thaw`, and cuts nothing. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** `delayMs` is how much later everything arrives, in each direction. What a client sends goes through `filter`. */
export async function proxyTo(
  serverUrl: string,
  { delayMs = 0, filter }: { delayMs?: number; filter?: () => Transform } = {},
): Promise<Proxy> {
  const target = new URL(serverUrl)
  /** From each socket to where its bytes go. */
  const ways = new Map<Socket, Writable>()
  const state = { whole: true, frozen: false }
  const server = createServer((client) => {
    if (!state.whole) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    const passing = { ways, frozen: state.frozen, delayMs }
    pass(client, upstream, { ...passing, filter: filter?.() })
    pass(upstream, client, passing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cutAll = () => {
    for (const socket of ways.keys()) socket.resetAndDestroy()
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
      for (const [one, other] of ways) one.unpipe(other)
    },
    thaw() {
      state.frozen = false
      for (const [one, other] of ways) one.pipe(other)
    },
    async close() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}

type Passing = {
  ways: Map<Socket, Writable>
  frozen: boolean
  delayMs: number
  filter?: Transform | undefined
}

function pass(one: Socket, other: Socket, { ways, frozen, delayMs, filter }: Passing): void {
  const late = delayMs === 0 ? other : led(other, delay(delayMs))
  const way = filter ? led(late, filter) : late
  ways.set(one, way)
  // A cut is what the proxy is for: both ends learn of it from their closed sockets.
  one.on('error', () => other.destroy())
  one.on('close', () => {
    ways.delete(one)
    other.destroy()
  })
  if (!frozen) one.pipe(way)
}

const delay = (delayMs: number) =>
  new Transform({
    transform(chunk, _encoding, done) {
      setTimeout(() => this.push(chunk), delayMs)
      done()
    },
    flush: (done) => void setTimeout(done, delayMs),
  })

/** The way through a transform, which ends with where it leads. */
function led(to: Writable, through: Transform): Transform {
  to.once('close', () => through.destroy())
  through.pipe(to)
  return through
}
