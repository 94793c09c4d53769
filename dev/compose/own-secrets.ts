import { hashAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { databaseServices } from '../stack/services.ts'
import { newPassword, newSecret } from './random-secrets.ts'

/*
 * The secrets that an `.env` sets instead of the public defaults of docker-compose.yml. The image of the jobs contains no
 * service, so this file must not import one.
 */

/**
 * The defaults of payments, instead of those for test cards in docker-compose.yml. tests/policy/compose.test.ts compares them with
 * the configuration of payments.
 */
export const ownLimits = {
  CARDS_PER_USER: '5',
  DECLINES_PER_CARD: '3',
  DECLINES_PER_ADDRESS: '20',
  DECLINES_PER_APPLICATION: '500',
}

const passwordNames = ['postgres', 'rabbitmq', 'redis', ...databaseServices].map(
  (name) => `${name.toUpperCase()}_PASSWORD`,
)

/** Returns new secrets by their variables in docker-compose.yml. */
export function makeOwnSecrets(): Record<string, string> {
  const operatorKey = makeAccessKey('live')
  return {
    INTERNAL_SECRET: newSecret(),
    PASSWORD_PEPPER: newSecret(),
    OPERATOR_KEY: operatorKey,
    OPERATOR_KEY_HASH: hashAccessKey(operatorKey),
    ...Object.fromEntries(passwordNames.map((name) => [name, newPassword()])),
  }
}

/** The variables of `makeOwnSecrets`. */
export const ownSecretNames: readonly string[] = Object.keys(makeOwnSecrets())

/** Returns the names that `.env` or the shell sets, even to an empty value. */
export function givenSecrets(environment: NodeJS.ProcessEnv): string[] {
  return ownSecretNames.filter((name) => environment[name] !== undefined)
}

/** Returns an error text if an installation replaces only some of the default secrets; otherwise null. */
export function faultOfSecrets(environment: NodeJS.ProcessEnv, isEmptyFile: boolean): string | null {
  const isDevelopment = environment['NODE_ENV'] === 'development'
  if (isDevelopment && givenSecrets(environment).length === 0)
    return isEmptyFile ? `.env is empty: ${advice}` : null
  const missing = ownSecretNames.filter((name) => !environment[name])
  // Without NODE_ENV=production, services would start with a public default.
  if (isDevelopment) missing.unshift('NODE_ENV=production')
  return missing.length === 0 ? null : `.env is incomplete, it lacks ${missing.join(', ')}: ${advice}`
}

const advice =
  'create it again as the README describes ("In containers"), or delete it to start with the public secrets for development.'
