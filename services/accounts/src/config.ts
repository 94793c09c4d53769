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
    .describe('SHA-256 (hex) of the first operator access key, with which an operator issues all others.'),
  PASSWORD_PEPPER: z
    .string()
    .transform((peppers) => peppers.split(',').map((one) => one.trim()))
    .pipe(z.tuple([z.string().min(32)], z.string().min(32)))
    .describe(
      'Secret part of each password hash, 32 characters or more. To change it, put the new pepper before the old one, with a comma between. A hash by the old one is replaced at the next sign-in. Without the pepper no user can sign in.',
    ),
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
  // One application's users share this one, so that a list of leaked pairs ends even where it comes from everywhere.
  // 1,000 wrong ones are what 20,000 sign-ins have that nobody means ill with, at one in twenty.
  TRIES_PER_APPLICATION: count
    .default(1_000)
    .describe(
      'Tries to sign in that one application may make in TRIES_SECONDS, sign-ins that work not counted. To be raised for more than some 20,000 sign-ins in that time.',
    ),
  TRIES_SECONDS: count
    .max(86_400)
    .default(900)
    .describe(
      'Seconds of the window in which TRIES_PER_EMAIL, TRIES_PER_ADDRESS and TRIES_PER_APPLICATION are counted.',
    ),
})
export type Config = z.output<typeof Config>
