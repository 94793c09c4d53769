import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HttpServer = { url: string; port: number; close: () => Promise<void> }

/** Starts an HTTP server, by default on a free port. Rejects if the port is in use. */
export async function startHttpServer(
  listener: RequestListener,
  at: { host?: string; port?: number } = {},
): Promise<HttpServer> {
  const server = createServer(listener).listen(at.port ?? 0, at.host ?? '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}
