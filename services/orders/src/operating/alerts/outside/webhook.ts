import { addressesOfThirdParty, connectingBy, HTTP_1_ONLY } from '@platter/kit'
import { Agent } from 'undici'
import { bodyOf } from '#/domain/alert-template.ts'
import { SEND_WITHIN_MS, type Channel } from '#/operating/alerts/channel.ts'
import { discardBody, isSuccess, postWebhook } from '#/outside/standard-webhook.ts'

type Target = {
  url: string
  secret?: string | undefined
  template?: string | undefined
  token?: string | undefined
}

/** Posts alerts, signed if there is a secret. The operator configures the address, so it may be private. */
export function webhookChannel({ url, secret, template, token }: Target): Channel {
  const agent = new Agent({
    ...HTTP_1_ONLY,
    connect: { timeout: 5_000, lookup: connectingBy(addressesOfThirdParty) },
    keepAliveTimeout: 1_000,
  })
  return {
    name: 'webhook',
    async send(alert) {
      const response = await postWebhook(url, agent, {
        id: alert.id,
        at: new Date(),
        body: bodyOf(alert, template),
        secret,
        withinMs: SEND_WITHIN_MS,
        ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      })
      discardBody(response)
      if (!isSuccess(response)) throw new Error(`status ${response.statusCode}`)
    },
    close: () => agent.destroy(),
  }
}
