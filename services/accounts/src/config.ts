import { amqpConfig, postgresConfig, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

const count = z.coerce.number().int().min(1)

export const Config = z.object({
  ...serviceConfig,
  ...postgresConfig,
  ...amqpConfig,
  PAYMENTS_URL: replicaUrls('payments'),
  OPERATOR_KEY_HASH: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower-case hexadecimal')
    .optional()
    .describe('SHA-256 (hex) of the first operator access key, which lets in whoever issues all others.'),
  REDIS_URL: z
    .url()
    .describe(
      'Redis, for the count of tries to sign in and to register that all replicas share; without it each counts for itself.',
    ),
  // Enough for a person who has forgotten which password it was, and 1,000 guesses a day for anybody else.
  TRIES_PER_EMAIL: count
    .default(10)
    .describe(
      'Tries to register with or to sign in with one e-mail in TRIES_SECONDS, sign-ins that work not counted; past it the answer is 429.',
    ),
  // An office or a household behind one address has room; a list of leaked passwords has not.
  TRIES_PER_ADDRESS: count
    .default(30)
    .describe(
      'The same for one client address (of IPv6 its /64). To be raised where one server registers or signs in all users of an application.',
    ),
  TRIES_SECONDS: count
    .max(86_400)
    .default(900)
    .describe('Seconds of the window in which TRIES_PER_EMAIL and TRIES_PER_ADDRESS are counted.'),
})
export type Config = z.output<typeof Config>
