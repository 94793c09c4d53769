import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>

/** Starts an HTTP server, by default on a free port of the loopback interface. Rejects if the port is in use. */
export async function startHttpServer(
  listener: RequestListener,
  { host = '127.0.0.1', port: wanted = 0 }: { host?: string; port?: number } = {},
) {
  const server = createServer(listener).listen(wanted, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    close: async (): Promise<void> => {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}
