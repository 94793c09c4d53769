import { atLeastOne, amqpConfig, postgresConfig, replicaUrls, serviceConfig } from '@platter/kit'
import { z } from 'zod'

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
      'Redis, for the counts of sign-in and registration attempts, which all replicas share. Without it each replica has its own counts.',
    ),
  // Enough for users who mistype their passwords; an attacker has 1,000 guesses per day.
  TRIES_PER_EMAIL: atLeastOne
    .default(10)
    .describe(
      'Attempts to register or to sign in with one e-mail address in 15 minutes, successful sign-ins excluded. Further ones are refused (429).',
    ),
  // Enough for an office behind one address, and too few for a list of leaked passwords.
  TRIES_PER_ADDRESS: atLeastOne
    .default(30)
    .describe(
      'The same limit for one client address (for IPv6 its /64). Increase it when one server registers or signs in all users of an application.',
    ),
  // Limits attacks with a list of leaked credentials from many addresses. 20,000 ordinary sign-ins have 1,000 failures, at one in
  // twenty.
  TRIES_PER_APPLICATION: atLeastOne
    .default(1_000)
    .describe(
      'Attempts to sign in to one application in 15 minutes, successful ones excluded. Increase it for more than 20,000 sign-ins in that time.',
    ),
})
export type Config = z.output<typeof Config>
