import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A TCP server on a free port that accepts connections and never responds. `connections` resolves with a number when it has accepted so
 * many. `close` ends them, and the server.
 */
export async function silentServer() {
  const server = createServer().listen(0, '127.0.0.1')
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async connections(count: number): Promise<number> {
      while (sockets.length < count) await once(server, 'connection')
      return count
    },
    close(): void {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
