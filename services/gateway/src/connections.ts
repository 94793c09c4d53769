import type { Server, Socket } from 'node:net'
import { ConcurrencyLimit, networkOf } from '@platter/kit'
import { matcher, unmapped } from '#/client-address.ts'

type Limits = {
  all: number
  perAddress: number
  /** Addresses and CIDR ranges of trusted proxies. Many clients share them, so the limit per address does not apply. */
  proxies: readonly string[]
}

/**
 * Limits the open connections, in total and per address (IPv6: its /64). Without the limit, one client that sends nothing could
 * exhaust the file descriptors. An excess connection is closed before any byte is read.
 */
export function limitConnections(server: Server, { all, perAddress, proxies }: Limits): void {
  const isProxy = matcher(proxies)
  const limit = new ConcurrencyLimit({ permitsPerKey: perAddress })
  server.maxConnections = all
  server.prependListener('connection', (socket: Socket) => {
    const address = unmapped(socket.remoteAddress ?? '')
    if (isProxy(address)) return
    const permit = limit.tryAcquire(networkOf(address))
    if (permit) socket.once('close', () => permit.release())
    else socket.destroy()
  })
}
