import { expect, test } from 'vitest'
import { Config } from '#/config.ts'
import { parseDefaultLink } from '#/delivery/default-link.ts'

const { DEFAULT_RESTAURANT_LINK } = Config.shape
const secret = `whsec_${Buffer.alloc(24, 251).toString('base64')}`
const withSecret = (url: string) => url.replace('//', `//:${encodeURIComponent(secret)}@`)

test('the default link is a console with detailed reports', () => {
  expect(parseDefaultLink(DEFAULT_RESTAURANT_LINK.parse(undefined))).toEqual({
    kind: 'console',
    reports: 'detailed',
  })
})

test('the password of a default webhook URL becomes its secret, and is removed from the URL', () => {
  expect(
    parseDefaultLink(DEFAULT_RESTAURANT_LINK.parse(withSecret('https://example.org/orders?a=b'))),
  ).toEqual({ kind: 'webhook', url: 'https://example.org/orders?a=b', secret, reports: 'detailed' })
})

test.each([
  'fax',
  'simulator:accepts',
  'https://example.org/orders',
  withSecret('ftp://example.org/orders'),
  'https://:whsec_AA@example.org',
  'https://:%E0%A4%A@example.org',
])('refuses %s, and the error contains no secret', (text) => {
  const { success, error } = DEFAULT_RESTAURANT_LINK.safeParse(text)
  expect(success).toBe(false)
  expect(String(error)).not.toContain(secret)
})
