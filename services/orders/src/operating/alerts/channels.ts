import type { Config } from '#/config.ts'
import type { Channel } from '#/operating/alerts/channel.ts'
import { emailChannel } from '#/operating/alerts/outside/email.ts'
import { webhookChannel } from '#/operating/alerts/outside/webhook.ts'

type Configured = Pick<
  Config,
  | 'ALERT_WEBHOOK_URL'
  | 'ALERT_WEBHOOK_SECRET'
  | 'ALERT_WEBHOOK_TOKEN'
  | 'ALERT_WEBHOOK_TEMPLATE'
  | 'ALERT_SMTP_URL'
  | 'ALERT_EMAIL_FROM'
  | 'ALERT_EMAIL_TO'
>

/** The configured channels. */
export function channelsOf(config: Configured): Channel[] {
  const { ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET, ALERT_WEBHOOK_TOKEN, ALERT_WEBHOOK_TEMPLATE } = config
  const { ALERT_SMTP_URL, ALERT_EMAIL_FROM, ALERT_EMAIL_TO } = config
  const channels: Channel[] = []
  if (ALERT_WEBHOOK_URL !== undefined)
    channels.push(
      webhookChannel({
        url: ALERT_WEBHOOK_URL,
        secret: ALERT_WEBHOOK_SECRET,
        token: ALERT_WEBHOOK_TOKEN,
        template: ALERT_WEBHOOK_TEMPLATE,
      }),
    )
  if (ALERT_SMTP_URL !== undefined && ALERT_EMAIL_FROM !== undefined && ALERT_EMAIL_TO !== undefined)
    channels.push(emailChannel({ url: ALERT_SMTP_URL, from: ALERT_EMAIL_FROM, to: ALERT_EMAIL_TO }))
  return channels
}
