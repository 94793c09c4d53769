import { startHttpServer } from '@platter/testkit/http-server'

/**
 * Starts a receiver of telemetry (OTLP over HTTP) that accepts every request. `onBody` gets each body unchanged, also the received
 * part of one whose sender has ended.
 */
export const startOtlpServer = (onBody: (body: string, isWhole: boolean) => void, port = 0) =>
  startHttpServer(
    (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
      request.on('close', () => onBody(Buffer.concat(chunks).toString(), request.complete))
    },
    { port },
  )
