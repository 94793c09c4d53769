import { z } from 'zod'
import { PLACEHOLDERS, templateFault } from '#/domain/alert-template.ts'

/** Compose sets variables that are missing in its .env to an empty text. */
const orNone = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

const addresses = /^[^@\s,<>]+@[^@\s,<>]+$|^[^<>\r\n,]*<[^@\s,<>]+@[^@\s,<>]+>$/
const isAddressList = (list: string): boolean => list.split(',').every((one) => addresses.test(one.trim()))

/** The channels for alerts: docs/deployment.md, "Alerts". */
export const alertConfig = {
  ALERT_WEBHOOK_URL: orNone(z.url({ protocol: /^https?$/ })).describe(
    'The URL to which alerts are posted as JSON when incidents begin and end. Without it, no alerts are posted.',
  ),
  ALERT_WEBHOOK_SECRET: orNone(
    z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and 24 bytes or more in base64'),
  ).describe(
    'The secret (`whsec_…`) that signs alerts as Standard Webhooks specifies. Without it, alerts are not signed.',
  ),
  ALERT_WEBHOOK_TOKEN: orNone(z.string().min(1)).describe(
    'Sent as `Authorization: Bearer …` with alerts, for receivers that require it.',
  ),
  ALERT_WEBHOOK_TEMPLATE: orNone(
    z.string().superRefine((template, context) => {
      const fault = templateFault(template)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    }),
  ).describe(
    `The JSON body of an alert for receivers with their own format, with placeholders: ${PLACEHOLDERS.map((name) => `\`{{${name}}}\``).join(', ')}.`,
  ),
  ALERT_SMTP_URL: orNone(z.url({ protocol: /^smtps?$/ })).describe(
    'Mail server for alerts, with user and password: `smtps://user:password@mail.example.com:465`, or `smtp://…:587` with STARTTLS.',
  ),
  ALERT_EMAIL_FROM: orNone(z.string().refine(isAddressList, 'is not an e-mail address')).describe(
    'Sender of alerts by e-mail.',
  ),
  ALERT_EMAIL_TO: orNone(z.string().refine(isAddressList, 'is not a list of e-mail addresses')).describe(
    'Receivers of alerts by e-mail, separated by commas.',
  ),
}

type Configured = { [Name in 'ALERT_SMTP_URL' | 'ALERT_EMAIL_FROM' | 'ALERT_EMAIL_TO']?: string | undefined }

/** E-mail requires the server, the sender and the receivers. */
export function checkAlertConfig(config: Configured, context: z.RefinementCtx): void {
  const email = ['ALERT_SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO'] as const
  const missing = email.filter((name) => config[name] === undefined)
  if (missing.length === email.length) return
  for (const name of missing)
    context.addIssue({ code: 'custom', path: [name], message: 'is required for alerts by e-mail' })
}
