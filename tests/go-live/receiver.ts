import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { startHttpServer } from '@platter/testkit/http-server'

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Starts a receiver of alerts on the host, which containers can reach. It confirms only messages with a verified signature. */
export async function startReceiver() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const received: string[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    try {
      new Webhook(secret).verify(body, request.headers as Record<string, string>)
      received.push(body)
      response.writeHead(204).end()
    } catch {
      response.writeHead(401).end()
    }
  }
  const { port, close } = await startHttpServer((...exchange) => void receive(...exchange), {
    host: '0.0.0.0',
  })
  return {
    answers: {
      ALERT_WEBHOOK_URL: `http://host.docker.internal:${port}/alerts`,
      ALERT_WEBHOOK_SECRET: secret,
    },
    received,
    close,
  }
}
