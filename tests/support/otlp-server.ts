import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type OtlpServer = { url: string; close: () => Promise<void> }

/**
 * Starts a receiver of telemetry (OTLP over HTTP) that accepts every request. `onBody` gets each body unchanged, also the received
 * part of one whose sender has ended. Rejects if the port is in use; port 0 is any free port.
 */
export async function startOtlpServer(
  onBody: (body: string, isWhole: boolean) => void,
  port = 0,
): Promise<OtlpServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
    request.on('close', () => onBody(Buffer.concat(chunks).toString(), request.complete))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
