import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lintSource } from '@secretlint/core'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'
import { looksLikeAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { expect, test } from 'vitest'
import { filesIn } from './files.ts'

/*
 * The repository contains no secret. Secretlint detects the formats of the large providers' credentials. This test adds the
 * access keys of Platter, two secrets of Stripe, and any text that looks random.
 */

const root = join(import.meta.dirname, '../..')

/** Publicly known on purpose, with the public source. A new entry needs the same reason. */
const PUBLIC = new Set([
  // docker-compose.yml and deploy/kubernetes/try-out: a development platform's first operator.
  'platter_live_DevelopmentOnlyKnownToEveryone1jJJP0',
  // Examples of the OpenAPI document: no row has their hashes.
  'platter_live_9kQ2mX7vB4nT8sLw3RzY6cHdJ5pG1f0aUeKq',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr',
  'pi_3QfN2eJx8Kc1VbTz0aWm4rYd',
  // dev/seed: base64 of "platter-development-only-secret!".
  'whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE',
  // The digits of base 62 and of base 64.
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  // Keys from Stripe's documentation, and two that no account has. Services reject the first, and the tests use the others.
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'sk_live_0123456789abcdef',
  'sk_test_0123456789abcdef',
  // Not in use. They have the form of a good secret, for tests of rejected secrets.
  '9b1f60c2d7e35a84',
  '5f0c7d2b91ae4863d0f2c5b7a9e81346',
  // The id of a payment method in Stripe's public documentation.
  'pm_1MqLiJLkdIwHu7ixUEgbFdYF',
  // A hash that the reference implementation of Argon2 publishes.
  'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
])

/** Files with text that looks random but is not secret: the integrity of packages, and hashes of publicly known passwords. */
const RANDOM_ON_PURPOSE = new Set(['package-lock.json', 'deploy/kubernetes/try-out/rabbitmq-users.json'])

const PLATTER_KEY = /platter_(?:live|test)_[0-9A-Za-z]{36}/g
const STRIPE_SECRET = /(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/]{24,}/g
const HEX_SECRET = /(?:secret|passw|token|pepper|credential)[\w.'"-]*\s*[:=]\s*['"`]?([0-9a-f]{32,})/gi
const LONG_WORD = /[A-Za-z0-9_-]{24,}/g

/** Shannon entropy in bits a character: English words have about 4.0 at most, 24 random base62 characters 4.2 and more. */
function bitsPerCharacter(text: string): number {
  const counts = [...Map.groupBy(text, (one) => one).values()].map(({ length }) => length / text.length)
  return -counts.reduce((sum, share) => sum + share * Math.log2(share), 0)
}

const looksRandom = (word: string): boolean =>
  /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && bitsPerCharacter(word) >= 4.2

function ownFindings(text: string): string[] {
  const found = [
    ...[...text.matchAll(PLATTER_KEY)].map(([key]) => key).filter(looksLikeAccessKey),
    ...[...text.matchAll(STRIPE_SECRET)].map(([secret]) => secret),
    ...[...text.matchAll(HEX_SECRET)].map(([, secret = '']) => secret),
    ...[...text.matchAll(LONG_WORD)].map(([word]) => word.replace(/^-+/, '')).filter(looksRandom),
  ]
  return [...new Set(found)].filter((secret) => !PUBLIC.has(secret))
}

async function findings(file: string, content: string): Promise<string[]> {
  const { messages } = await lintSource({
    source: { filePath: file, content, ext: '', contentType: 'text' },
    options: { config: { rules: [{ id: 'recommended', rule: recommended }] } },
  })
  const theirs = messages
    .map(({ message }) => message)
    .filter((message) => [...PUBLIC].every((known) => !message.includes(known)))
  const own = RANDOM_ON_PURPOSE.has(file) ? [] : ownFindings(content)
  return [...theirs, ...own].map((found) => `${file}: ${found}`)
}

test.skipIf(!existsSync(join(root, '.git')))('no file of the repository contains a secret', async () => {
  const texts = filesIn(root)
    .map((file): [string, Buffer] => [file, readFileSync(join(root, file))])
    .filter(([, bytes]) => !bytes.includes(0))
  const found = await Promise.all(texts.map(([file, bytes]) => findings(file, bytes.toString())))
  expect(texts.length).toBeGreaterThan(500)
  expect(found.flat()).toEqual([])
})

// Joined at run time, because the test also searches this file.
const joined = (...parts: readonly string[]): string => parts.join('')
const random = joined('9qLr2Xv7Tn4Wc8Zb', '1Kd6Hf3Jm5Ps0GyAaBe')

test.each([
  ['an access key of Platter', makeAccessKey('live')],
  ["Stripe's secret key", joined('sk_', 'live_', random)],
  ["Stripe's webhook secret", joined('whsec_', random)],
  ['a secret of Amazon', joined('AWS_SECRET_ACCESS_KEY=', 'wJalrXUtnFEMI/K7MDENG', '/bPxRfiCYzzQ4kLm8Qw')],
  ["GitHub's token", joined('gh', 'p_', random, 'q')],
  ["npm's token", joined('//registry.npmjs.org/:_auth', 'Token=npm_', random, 'q')],
  ["Slack's token", joined('xox', 'b-123456789012-1234567890123-', random.slice(0, 24))],
  ['a private key', joined('-----BEGIN RSA ', 'PRIVATE KEY-----\n', random.repeat(20))],
  ['a random password in hex', joined("internal_secret: '", '5f3a9c1e'.repeat(8), "'")],
  ['a word that looks random', joined("const key = '", random.slice(0, 26), "'")],
])('finds %s', async (_, secret) => {
  expect(await findings('planted.ts', secret)).not.toEqual([])
})

test.each([
  ['an identifier of a record', 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'],
  ['a long name', 'theGatewayTakesNoMethodThatTheDocumentDoesNotHave'],
  ['an example of a key with a wrong checksum', 'platter_live_abcdefghijkl'],
])('accepts %s', async (_, text) => {
  expect(await findings('fine.ts', text)).toEqual([])
})
