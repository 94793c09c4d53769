/**
 * Prints the Secrets of deploy/kubernetes/production with new random values. Prints the first operator access key on stderr; the
 * cluster receives only its hash:
 *   STRIPE_SECRET_KEY=sk_… STRIPE_WEBHOOK_SECRET=whsec_… \
 *     node dev/kubernetes/secrets.ts | kubectl create -f -
 * `create` and not `apply`, so that existing Secrets are never replaced.
 */
import { hashAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { newPassword, newSecret } from '../compose/random-secrets.ts'
import { brokerServices, definitions } from '../servers/rabbitmq-users.ts'
import { databaseServices } from '../stack/services.ts'

/** A Secret as a Kubernetes object. */
export type Secret = {
  readonly apiVersion: 'v1'
  readonly kind: 'Secret'
  readonly type: 'Opaque' | 'kubernetes.io/basic-auth'
  readonly metadata: {
    readonly name: string
    readonly namespace: 'platter'
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly stringData: Readonly<Record<string, string>>
}

/** All Secrets except those that operators of the database, the bucket and the certificate create. */
export function makeSecrets(stripe: { secretKey: string; webhookSecret: string }): {
  secrets: readonly Secret[]
  operatorKey: string
} {
  const operatorKey = makeAccessKey('live')
  const passwords = databaseServices.map((name) => [`${name}-password`, newPassword()] as const)
  const platter = {
    'internal-secret': newSecret(),
    'password-pepper': newSecret(),
    'operator-key-hash': hashAccessKey(operatorKey),
    'redis-password': newPassword(),
    ...Object.fromEntries(passwords),
  }
  const secrets = [
    secret('platter', platter),
    secret('rabbitmq-users', brokerUsers(newPassword)),
    superuserSecret(),
    secret('stripe', { 'secret-key': stripe.secretKey, 'webhook-secret': stripe.webhookSecret }),
  ]
  return { secrets, operatorKey }
}

/** RabbitMQ's users: the passwords for the services, and the definitions for RabbitMQ, which contain only hashes. */
export function brokerUsers(makePassword: () => string): Record<string, string> {
  const administrator = { name: 'platter', password: makePassword() }
  const passwords = Object.fromEntries(brokerServices.map((name) => [name, makePassword()]))
  return {
    'administrator-password': administrator.password,
    ...Object.fromEntries(brokerServices.map((name) => [`${name}-password`, passwords[name] ?? ''])),
    'definitions.json': JSON.stringify(definitions(passwords, administrator), null, 2),
  }
}

/** A Secret in Platter's namespace. */
export const secret = (
  name: string,
  stringData: Secret['stringData'],
  type: Secret['type'] = 'Opaque',
): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type,
  metadata: { name, namespace: 'platter' },
  stringData,
})

function superuserSecret(): Secret {
  const credentials = { username: 'postgres', password: newPassword() }
  const { metadata, ...rest } = secret('postgres-superuser', credentials, 'kubernetes.io/basic-auth')
  // CloudNativePG ignores a change of a Secret without this label, and PostgreSQL would keep the previous password.
  return { ...rest, metadata: { ...metadata, labels: { 'cnpg.io/reload': 'true' } } }
}

function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set`)
  return value
}

if (import.meta.main) {
  const { secrets, operatorKey } = makeSecrets({
    secretKey: variable('STRIPE_SECRET_KEY'),
    webhookSecret: variable('STRIPE_WEBHOOK_SECRET'),
  })
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: secrets }))
  console.error(`The first operator access key, shown only once: ${operatorKey}`)
}
