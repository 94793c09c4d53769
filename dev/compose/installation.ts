import { hashAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { secretVariables } from '@platter/kit/security/known-secrets'
import { brokerServices } from '../servers/rabbitmq-users.ts'
import { databaseServices } from '../stack/services.ts'
import { newPassword, newSecret } from './random-secrets.ts'

/* The variables of an .env for docker-compose.production.yml: the answers of an operator, and secrets. */

export type Values = Readonly<Record<string, string | undefined>>

export type Question = {
  readonly name: string
  readonly text: string
  readonly applies: (values: Values) => boolean
  /** Returns the fault of an answer as a sentence; null for a valid answer. */
  readonly fault: (value: string, values: Values) => string | null
}

const HOST = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Names and addresses for which no public authority issues a certificate (RFC 6761, RFC 6762, ICANN for .internal). */
const PRIVATE = /(^|\.)(localhost|local|lan|home|internal|test|invalid|example|arpa)$|^[\d.]+$|^[^.]+$/
const PLACEHOLDER = /(^|[.@])example\.(com|org|net)$/

/** Whether a public authority issues certificates for the name. */
export const isPublicName = (domain: string): boolean => HOST.test(domain) && !PRIVATE.test(domain)

function domainFault(domain: string, { TLS, ACME_DIRECTORY }: Values): string | null {
  if (!HOST.test(domain))
    return 'DOMAIN must be a host name in lower case without https:// and path, such as orders.your-domain.com.'
  if (PLACEHOLDER.test(domain)) return 'DOMAIN is a name from documentation. Use a domain of your own.'
  return TLS !== 'internal' && !ACME_DIRECTORY && !isPublicName(domain)
    ? 'DOMAIN is not a public name, so no public authority issues its certificate. Use a public name, TLS=internal, or ACME_DIRECTORY.'
    : null
}

const emailFault = (email: string): string | null =>
  /^[^@\s]+@[^@\s]+\.[a-z]{2,}$/i.test(email) && !PLACEHOLDER.test(email)
    ? null
    : 'TLS_EMAIL must be your e-mail address. The authority warns you there before a certificate ends.'

const oneOf =
  (name: string, values: readonly string[]) =>
  (value: string): string | null =>
    values.includes(value) ? null : `${name} must be ${values.join(' or ')}.`

function stripeKeyFault(key: string): string | null {
  if (key.startsWith('pk_'))
    return 'STRIPE_SECRET_KEY is a publishable key. Use the secret key, which starts with sk_live_.'
  if (!/^(sk|rk)_(live|test)_\w+$/.test(key))
    return 'STRIPE_SECRET_KEY must be a secret key of Stripe, which starts with sk_live_, rk_live_ or sk_test_.'
  return weakness('STRIPE_SECRET_KEY', key)
}

const stripeEventFault = (secret: string): string | null =>
  /^whsec_\S+$/.test(secret)
    ? weakness('STRIPE_WEBHOOK_SECRET', secret)
    : 'STRIPE_WEBHOOK_SECRET must be the signing secret of the endpoint at Stripe, which starts with whsec_.'

function weakness(name: string, value: string): string | null {
  const fault = secretVariables[name]?.(value) ?? null
  return fault === null ? null : `${name} ${fault}.`
}

const usesStripe = ({ PROCESSOR }: Values): boolean => PROCESSOR === 'stripe'

/** In the order of set-up. */
export const QUESTIONS: readonly Question[] = [
  {
    name: 'DOMAIN',
    text: 'Domain of the platform, which leads to this machine (orders.your-domain.com)',
    applies: () => true,
    fault: domainFault,
  },
  {
    name: 'TLS',
    text: 'Certificate: acme for a public one, internal for an authority of this machine',
    applies: () => true,
    fault: oneOf('TLS', ['acme', 'internal']),
  },
  {
    name: 'TLS_EMAIL',
    text: 'Your e-mail address, for messages about the certificate',
    applies: ({ TLS }) => TLS !== 'internal',
    fault: emailFault,
  },
  {
    name: 'PROCESSOR',
    text: 'Payment processor: stripe, or none for cash only',
    applies: () => true,
    fault: oneOf('PROCESSOR', ['stripe', 'none']),
  },
  {
    name: 'STRIPE_SECRET_KEY',
    text: "Stripe's secret key (sk_live_…)",
    applies: usesStripe,
    fault: stripeKeyFault,
  },
  {
    name: 'STRIPE_WEBHOOK_SECRET',
    text: 'Signing secret of the endpoint https://DOMAIN/webhooks/stripe, which you add at Stripe (whsec_…)',
    applies: usesStripe,
    fault: stripeEventFault,
  },
]

const upper = (name: string): string => name.toUpperCase()

const SECRETS: Readonly<Record<string, () => string>> = {
  INTERNAL_SECRET: newSecret,
  PASSWORD_PEPPER: newSecret,
  POSTGRES_PASSWORD: newPassword,
  ...Object.fromEntries(databaseServices.map((name) => [`${upper(name)}_PASSWORD`, newPassword])),
  RABBITMQ_PASSWORD: newPassword,
  ...Object.fromEntries(brokerServices.map((name) => [`${upper(name)}_RABBITMQ_PASSWORD`, newPassword])),
  REDIS_PASSWORD: newPassword,
  BACKUP_PASSPHRASE: newPassword,
}

/** Compose runs its own server, unless the variable has the URL of another one. */
const SERVERS: Readonly<Record<string, string>> = {
  postgres: 'EXTERNAL_POSTGRES_URL',
  rabbitmq: 'EXTERNAL_RABBITMQ_URL',
  redis: 'EXTERNAL_REDIS_URL',
}

const PROTOCOLS: Readonly<Record<string, RegExp>> = {
  EXTERNAL_POSTGRES_URL: /^postgres(ql)?:\/\/[^/@]+@[^/@]+\/[^/?]+/,
  EXTERNAL_RABBITMQ_URL: /^amqps?:\/\/[^/@]+@[^/@]+/,
  EXTERNAL_REDIS_URL: /^rediss?:\/\/[^/@]*@[^/@]+/,
}

/** Why an external server cannot be used; empty when there is none. */
function serverFaults(values: Values): string[] {
  return Object.entries(PROTOCOLS).flatMap(([name, form]) => {
    const value = values[name]
    return value === undefined || (form.test(value) && URL.canParse(value))
      ? []
      : [
          `${name} must be a URL with a password, such as ${name.includes('POSTGRES') ? 'postgres://user:password@host:5432/platter?sslmode=verify-full' : 'amqps://user:password@host'}.`,
        ]
  })
}

/** Returns the faults of the operator's own certificate authority. */
function authorityFaults({ TLS, ACME_DIRECTORY, CA_FILE }: Values): string[] {
  const faults: string[] = []
  // Compose takes any other text for the name of a volume.
  if (CA_FILE !== undefined && !/^\.{0,2}\//.test(CA_FILE))
    faults.push('CA_FILE must be the path of a PEM file, which begins with ./ or /.')
  if (ACME_DIRECTORY !== undefined && !/^https:\/\/[^/@]+\/\S/.test(ACME_DIRECTORY))
    faults.push('ACME_DIRECTORY must be the URL of an ACME directory, which begins with https://.')
  if (ACME_DIRECTORY !== undefined && TLS === 'internal') faults.push('ACME_DIRECTORY needs TLS=acme.')
  return faults
}

/** Returns all faults of the answers: missing and invalid ones. */
export function answerFaults(values: Values): string[] {
  const questionFaults = QUESTIONS.filter(({ applies }) => applies(values)).flatMap(({ name, fault }) => {
    const value = values[name]
    const found = value ? fault(value, values) : `${name} is missing.`
    return found === null ? [] : [found]
  })
  return [...questionFaults, ...serverFaults(values), ...authorityFaults(values)]
}

/** Returns variables without a question: values derived from the answers, and new secrets. Existing values are never replaced. */
export function addedValues(values: Values): { added: Record<string, string>; operatorKey: string | null } {
  const operatorKey = values['OPERATOR_KEY_HASH'] ? null : makeAccessKey('live')
  const external = values['EXTERNAL_POSTGRES_URL']
  const derived: Record<string, string> = {
    COMPOSE_FILE: 'docker-compose.production.yml:docker-compose.backup.yml',
    COMPOSE_PROFILES: Object.keys(SERVERS)
      .filter((name) => !values[SERVERS[name] ?? ''])
      .join(','),
    ...(values['TLS'] === 'internal' && { CADDY_CA: '/caddy/caddy/pki/authorities/local/root.crt' }),
    ...(external && { EXTERNAL_POSTGRES_SERVER: external.replace(/^[^@]+@/, '') }),
    ...(operatorKey !== null && { OPERATOR_KEY_HASH: hashAccessKey(operatorKey) }),
  }
  const secrets = Object.fromEntries(
    Object.entries(SECRETS)
      .filter(([name]) => !values[name])
      .map(([name, make]) => [name, make()]),
  )
  const all = { ...derived, ...secrets }
  const added = Object.fromEntries(Object.entries(all).filter(([name]) => values[name] === undefined))
  return { added, operatorKey }
}

/** Why docker-compose.production.yml must not start with these variables; empty when it may. */
export function installationFaults(values: Values): string[] {
  const missing = [...Object.keys(SECRETS), 'OPERATOR_KEY_HASH'].filter(
    (name) => name !== 'BACKUP_PASSPHRASE' && !values[name],
  )
  const profiles = (values['COMPOSE_PROFILES'] ?? '').split(',')
  const absent = Object.entries(SERVERS)
    .filter(([name, variable]) => !profiles.includes(name) && !values[variable])
    .map(([name, variable]) => `COMPOSE_PROFILES lacks ${name}, and ${variable} is missing.`)
  const weak = Object.entries(secretVariables)
    .filter(([name]) => values[name])
    .flatMap(([name]) => weakness(name, values[name] ?? '') ?? [])
  return [
    ...answerFaults(values),
    ...(missing.length === 0 ? [] : [`These secrets are missing: ${missing.join(', ')}.`]),
    ...absent,
    ...weak,
  ]
}
