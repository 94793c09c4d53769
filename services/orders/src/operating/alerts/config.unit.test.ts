import { expect, test } from 'vitest'
import { z } from 'zod'
import { alertConfig, checkAlertConfig } from '#/operating/alerts/config.ts'

const Config = z.object(alertConfig).superRefine(checkAlertConfig)
const email = {
  ALERT_SMTP_URL: 'smtps://user:password@mail.example.com:465',
  ALERT_EMAIL_FROM: 'Platter <platter@example.com>',
  ALERT_EMAIL_TO: 'one@example.com, Two <two@example.com>',
}
const faultsOf = (environment: Record<string, string>) =>
  Config.safeParse(environment).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ??
  []

test('missing and empty variables configure no alerts', () => {
  const empty = Object.fromEntries(Object.keys(alertConfig).map((name) => [name, '']))
  expect(Object.values(Config.parse(empty)).filter((value) => value !== undefined)).toEqual([])
  expect(Config.parse({})).toEqual({})
})

test('e-mail needs a server, a sender and receivers', () => {
  expect(faultsOf(email)).toEqual([])
  expect(faultsOf({ ALERT_EMAIL_TO: 'one@example.com' })).toEqual([
    'ALERT_SMTP_URL: is required for alerts by e-mail',
    'ALERT_EMAIL_FROM: is required for alerts by e-mail',
  ])
})

test.each([
  ['ALERT_WEBHOOK_URL', 'file:///etc/passwd'],
  ['ALERT_WEBHOOK_SECRET', 'whsec_short'],
  ['ALERT_WEBHOOK_TEMPLATE', '{"text":"{{nothing}}"}'],
  ['ALERT_SMTP_URL', 'https://mail.example.com'],
  ['ALERT_EMAIL_TO', 'one@example.com\r\nBcc: all@example.com'],
])('refuses %s=%j', (name, value) => {
  expect(faultsOf({ ...email, [name]: value })).toEqual([expect.stringContaining(`${name}: `)])
})
