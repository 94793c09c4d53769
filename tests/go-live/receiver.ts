import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts a receiver of alerts on the host, which containers can reach. It confirms only messages with a verified signature. */
export async function startReceiver() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const received: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      try {
        new Webhook(secret).verify(body, request.headers as Record<string, string>)
        received.push(body)
        response.writeHead(204).end()
      } catch {
        response.writeHead(401).end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  return {
    answers: {
      ALERT_WEBHOOK_URL: `http://host.docker.internal:${port}/alerts`,
      ALERT_WEBHOOK_SECRET: secret,
    },
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
