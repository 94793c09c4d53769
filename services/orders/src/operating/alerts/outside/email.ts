import { Deadline } from '@platter/kit'
import type { Transporter } from 'nodemailer'
import { textOf, titleOf } from '#/domain/alert.ts'
import { SEND_WITHIN_MS, type Channel } from '#/operating/alerts/channel.ts'

type Target = { url: string; from: string; to: string }

/**
 * Sends alerts by SMTP. A repeated attempt has the same Message-ID, so that a mailbox can show it once. Nodemailer is loaded for
 * the first alert.
 */
export function emailChannel({ url, from, to }: Target): Channel {
  let transport: Transporter | undefined
  const connect = async (): Promise<Transporter> =>
    (await import('nodemailer')).createTransport(optionsOf(url))
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? 'platter.invalid'
  return {
    name: 'email',
    async send(alert) {
      transport ??= await connect()
      const sent = transport.sendMail({
        from,
        to,
        subject: titleOf(alert),
        text: textOf(alert),
        messageId: `<${alert.id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Platter-Kind': alert.kind },
      })
      if (!(await Deadline.in(SEND_WITHIN_MS).race(sent)))
        throw new Error(`no confirmation within ${SEND_WITHIN_MS / 1_000} s`)
    },
    close: async () => transport?.close(),
  }
}

const optionsOf = (url: string) => ({
  url,
  // Without TLS a password would be transmitted in clear, so a server without TLS is rejected.
  requireTLS: new URL(url).username !== '',
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: SEND_WITHIN_MS,
  disableFileAccess: true,
  disableUrlAccess: true,
})
