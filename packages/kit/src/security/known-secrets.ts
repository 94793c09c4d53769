import { createHash } from 'node:crypto'

/**
 * Secrets that everybody knows: from the manuals of the servers, from what people put in for the time being, and
 * from docker-compose.yml and deploy/kubernetes/try-out.
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
  // The one in Stripe's own documentation.
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  // Of the simulated restaurants.
  'whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE=',
])

/** The SHA-256 of the operator key of docker-compose.yml, and of nothing at all. */
const KNOWN_HASHES = new Set([
  'e59dc28620925600bb1471fe8b07e95fd8c46e17cb32748156f281b611bfc5d2',
  createHash('sha256').update('').digest('hex'),
])

/** Bytes of a password in a URL: of random hexadecimal digits, which is what ours are, 64 bits. */
const SHORTEST_PASSWORD = 16
const SHORTEST_SECRET = 20
/** `aaaa…` and `12341234…` are as long as one likes. */
const FEWEST_CHARACTERS = 8

const passwordOf = (url: string): string => decodeURIComponent(new URL(url).password)

function weakness(secret: string, shortest: number): string | null {
  if (secret === '') return 'has no password'
  if (KNOWN.has(secret) || KNOWN.has(secret.toLowerCase())) return 'is known to everybody'
  if (Buffer.byteLength(secret) < shortest) return `is shorter than ${shortest} characters`
  if (new Set(secret).size < FEWEST_CHARACTERS) return 'is made of too few different characters'
  return null
}

const ofUrl = (url: string) => weakness(passwordOf(url), SHORTEST_PASSWORD)
const ofSecret = (secret: string) => weakness(secret, SHORTEST_SECRET)

/** Every variable of ours that is a secret or has one in it. A test asks whether there are others. */
export const secretVariables: Readonly<Record<string, (value: string) => string | null>> = {
  DATABASE_URL: ofUrl,
  AMQP_URL: ofUrl,
  REDIS_URL: ofUrl,
  INTERNAL_SECRET: ofSecret,
  INTERNAL_SECRET_OTHER: ofSecret,
  PASSWORD_PEPPER: ofSecret,
  STRIPE_SECRET_KEY: ofSecret,
  STRIPE_WEBHOOK_SECRET: ofSecret,
  // The URL of a webhook with its secret as the password.
  DEFAULT_RESTAURANT_LINK: (link) => (link === 'console' ? null : ofSecret(passwordOf(link))),
  OPERATOR_KEY_HASH: (hash) => (KNOWN_HASHES.has(hash) ? 'is known to everybody' : null),
}

/** What is wrong with the secrets of a configuration: which variable, and why; never its value. */
export function secretFaults(config: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(secretVariables).flatMap(([name, judge]) => {
    // Of some there are several: the one in use, and those of before.
    const secrets = [config[name]].flat().filter((secret) => typeof secret === 'string')
    const fault = secrets.map(judge).find((one) => one !== null)
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
}
