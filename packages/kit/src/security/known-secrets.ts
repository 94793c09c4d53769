import { createHash } from 'node:crypto'

/**
 * Publicly known secrets: from the manuals of the servers, common placeholders, and the defaults of docker-compose.yml and
 * deploy/kubernetes/try-out.
 */
const KNOWN = new Set([
  'admin',
  'changeme',
  'default',
  'development',
  'for-development-only-known-to-everybody',
  'guest',
  'password',
  'platter',
  'postgres',
  'rabbitmq',
  'redis',
  'root',
  'secret',
  'test',
  // The key in Stripe's documentation.
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  // The signing secret of the simulated restaurants.
  'whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE=',
])

/** The SHA-256 of the operator key of docker-compose.yml, and of the empty string. */
const KNOWN_HASHES = new Set([
  'e59dc28620925600bb1471fe8b07e95fd8c46e17cb32748156f281b611bfc5d2',
  createHash('sha256').update('').digest('hex'),
])

/** The minimum bytes of a password in a URL: 16 random hexadecimal digits are 64 bits. */
const SHORTEST_PASSWORD = 16
const SHORTEST_SECRET = 20
/** Rejects `aaaa…` and `12341234…`. */
const FEWEST_CHARACTERS = 8

/** Returns whether the secret is a public default for development or a common placeholder. */
export const isKnownSecret = (secret: string): boolean => KNOWN.has(secret) || KNOWN.has(secret.toLowerCase())

const passwordOf = (url: string): string => decodeURIComponent(new URL(url).password)

function weakness(secret: string, shortest: number): string | null {
  if (secret === '') return 'has no password'
  if (isKnownSecret(secret)) return 'is publicly known'
  if (Buffer.byteLength(secret) < shortest) return `is shorter than ${shortest} characters`
  if (new Set(secret).size < FEWEST_CHARACTERS) return 'has too few different characters'
  return null
}

const ofUrl = (url: string) => weakness(passwordOf(url), SHORTEST_PASSWORD)
const ofSecret = (secret: string) => weakness(secret, SHORTEST_SECRET)

/** All variables that are or contain a secret. A policy test checks that none is missing. */
export const secretVariables: Readonly<Record<string, (value: string) => string | null>> = {
  DATABASE_URL: ofUrl,
  DATABASE_DIRECT_URL: ofUrl,
  AMQP_URL: ofUrl,
  REDIS_URL: ofUrl,
  INTERNAL_SECRET: ofSecret,
  INTERNAL_SECRET_OTHER: ofSecret,
  PASSWORD_PEPPER: ofSecret,
  STRIPE_SECRET_KEY: ofSecret,
  STRIPE_WEBHOOK_SECRET: ofSecret,
  PROCESSOR_WEBHOOK_SECRET: ofSecret,
  ALERT_WEBHOOK_SECRET: ofSecret,
  ALERT_WEBHOOK_TOKEN: ofSecret,
  // With one webhook for all restaurants, orders are accepted that no kitchen receives.
  DEFAULT_RESTAURANT_LINK: (link) => (link === 'console' ? null : 'is not `console`'),
  OPERATOR_KEY_HASH: (hash) => (KNOWN_HASHES.has(hash) ? 'is publicly known' : null),
}

/** Returns the faults of a configuration's secrets: the variable and the reason, never the value. */
export function secretFaults(config: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(secretVariables).flatMap(([name, weaknessOf]) => {
    // Some variables are lists of the current and earlier secrets.
    const secrets = [config[name]].flat().filter((secret) => typeof secret === 'string')
    const fault = secrets.map(weaknessOf).find((one) => one !== null)
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
}
