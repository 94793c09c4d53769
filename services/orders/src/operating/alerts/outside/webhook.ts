import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import { bodyOf } from '#/domain/alert-template.ts'
import { SEND_WITHIN_MS, type Channel } from '#/operating/alerts/channel.ts'

type Target = {
  url: string
  secret?: string | undefined
  template?: string | undefined
  token?: string | undefined
}

/**
 * Posts alerts as JSON. With a secret they are signed as Standard Webhooks specifies. The operator configures the address, so it
 * may be private. Redirects are not followed.
 */
export function webhookChannel({ url, secret, template, token }: Target): Channel {
  const agent = new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 1_000 })
  const signer = secret === undefined ? null : new Webhook(secret)
  return {
    name: 'webhook',
    async send(alert) {
      const body = bodyOf(alert, template)
      const at = new Date()
      const { statusCode, body: response } = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': alert.id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          ...(signer && { 'webhook-signature': signer.sign(alert.id, at, body) }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body,
        dispatcher: agent,
        signal: AbortSignal.timeout(SEND_WITHIN_MS),
      })
      response.dump({ limit: 16_384, signal: AbortSignal.timeout(1_000) }).catch(() => 'the status is known')
      if (statusCode < 200 || statusCode > 299) throw new Error(`status ${statusCode}`)
    },
    close: () => agent.destroy(),
  }
}
