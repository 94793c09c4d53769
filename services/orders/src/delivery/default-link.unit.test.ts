import { expect, test } from 'vitest'
import { Config } from '#/config.ts'
import { parseDefaultLink } from '#/delivery/default-link.ts'

const { DEFAULT_RESTAURANT_LINK } = Config.shape
const secret = `whsec_${Buffer.alloc(24, 251).toString('base64')}`
const withSecret = (url: string) => url.replace('//', `//:${encodeURIComponent(secret)}@`)

test('a restaurant without a link of its own has a console by default', () => {
  expect(parseDefaultLink(DEFAULT_RESTAURANT_LINK.parse(undefined))).toEqual({
    kind: 'console',
    reports: 'detailed',
  })
})

test('a default webhook is a URL with its secret as the password, and is called without the password', () => {
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
])('%s is no link', (text) => {
  const { success, error } = DEFAULT_RESTAURANT_LINK.safeParse(text)
  expect(success).toBe(false)
  expect(String(error)).not.toContain(secret)
})
