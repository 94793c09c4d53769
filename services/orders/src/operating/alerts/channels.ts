import type { Config } from '#/config.ts'
import type { Channel } from '#/operating/alerts/channel.ts'
import { emailChannel } from '#/operating/alerts/outside/email.ts'
import { webhookChannel } from '#/operating/alerts/outside/webhook.ts'

/** The configured channels. */
export function channelsOf(config: Config): Channel[] {
  const { ALERT_WEBHOOK_URL, ALERT_SMTP_URL, ALERT_EMAIL_FROM, ALERT_EMAIL_TO } = config
  const channels: Channel[] = []
  if (ALERT_WEBHOOK_URL !== undefined)
    channels.push(
      webhookChannel({
        url: ALERT_WEBHOOK_URL,
        secret: config.ALERT_WEBHOOK_SECRET,
        token: config.ALERT_WEBHOOK_TOKEN,
        template: config.ALERT_WEBHOOK_TEMPLATE,
      }),
    )
  if (ALERT_SMTP_URL !== undefined && ALERT_EMAIL_FROM !== undefined && ALERT_EMAIL_TO !== undefined)
    channels.push(emailChannel({ url: ALERT_SMTP_URL, from: ALERT_EMAIL_FROM, to: ALERT_EMAIL_TO }))
  return channels
}
