import { hashAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { randomBytes } from 'node:crypto'
import { databaseServices } from '../stack/services.ts'

/*
 * The secrets that an `.env` puts in the place of docker-compose.yml's defaults, which everybody knows. The image of
 * the jobs has no service in it: nothing here may import one.
 */

/**
 * The defaults of payments, in the place of those for test cards in docker-compose.yml. tests/law/compose.test.ts
 * compares them with the configuration of payments.
 */
export const ownLimits = {
  CARDS_PER_USER: '5',
  DECLINES_PER_CARD: '3',
  DECLINES_PER_ADDRESS: '20',
  DECLINES_PER_APPLICATION: '500',
}

// Letters and digits only: they become parts of URLs.
const password = () => randomBytes(24).toString('hex')
const passwordNames = ['postgres', 'rabbitmq', 'redis', ...databaseServices].map(
  (name) => `${name.toUpperCase()}_PASSWORD`,
)

/** New secrets, by the variables of docker-compose.yml. */
export function makeOwnSecrets(): Record<string, string> {
  const operatorKey = makeAccessKey('live')
  return {
    INTERNAL_SECRET: randomBytes(32).toString('hex'),
    PASSWORD_PEPPER: randomBytes(32).toString('hex'),
    OPERATOR_KEY: operatorKey,
    OPERATOR_KEY_HASH: hashAccessKey(operatorKey),
    ...Object.fromEntries(passwordNames.map((name) => [name, password()])),
  }
}

/** The variables of `makeOwnSecrets`. */
export const ownSecretNames: readonly string[] = Object.keys(makeOwnSecrets())

/** Which of them `.env` or the shell sets, be it to nothing. */
export function givenSecrets(environment: NodeJS.ProcessEnv): string[] {
  return ownSecretNames.filter((name) => environment[name] !== undefined)
}

/** What is wrong with the secrets of an installation, as a sentence; null when all or none are its own. */
export function faultOfSecrets(environment: NodeJS.ProcessEnv, isEmptyFile: boolean): string | null {
  const isDevelopment = environment['NODE_ENV'] === 'development'
  if (isDevelopment && givenSecrets(environment).length === 0)
    return isEmptyFile ? `.env is empty: ${advice}` : null
  const missing = ownSecretNames.filter((name) => !environment[name])
  // Without it services would start with a secret that everybody knows.
  if (isDevelopment) missing.unshift('NODE_ENV=production')
  return missing.length === 0 ? null : `.env is incomplete, it lacks ${missing.join(', ')}: ${advice}`
}

const advice =
  'make it anew as the README says ("In containers"), or delete it to start with the secrets for development, which everybody knows.'
