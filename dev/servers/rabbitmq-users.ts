import { createHash, randomBytes } from 'node:crypto'
import { messages } from '@platter/contracts'

/** The permissions of a user: regular expressions of names of queues and exchanges. */
type Permissions = {
  readonly configure: string
  readonly write: string
  readonly read: string
}

/** The services that consume messages. */
export const brokerServices = ['catalog', 'accounts', 'orders', 'payments'] as const

type BrokerService = (typeof brokerServices)[number]

/** The service that consumes the dead letters of all services (docs/decisions/0016-incidents-and-reconciliation.md). */
const KEEPER_OF_DEAD_LETTERS: BrokerService = 'orders'

/**
 * Returns the permissions of a service, derived from its messages (packages/bus/src/topology.ts): a name and any version of it. It
 * consumes only from its own queues. All users may publish through the default exchange, which transports commands, questions and
 * their replies: RabbitMQ does not check its routing keys.
 */
export function permissionsOf(service: BrokerService): Permissions {
  const own = messages.filter(({ owner }) => owner === service)
  const hasEvents = own.some(({ kind }) => kind === 'event')
  const names = [
    ...own.map(({ name }) => `${name.replaceAll('.', '\\.')}\\.v\\d+(\\.dead)?`),
    ...(service === KEEPER_OF_DEAD_LETTERS ? ['.*\\.dead'] : []),
    // Each consumer has its own queue, under an unguessable name that the server generates.
    ...(hasEvents ? ['amq\\.gen-.*'] : []),
  ]
  return { configure: anyOf(names), write: anyOf([...names, 'amq\\.default']), read: anyOf(names) }
}

const anyOf = (names: readonly string[]) => `^(${names.join('|')})$`

/** Returns the hash that RabbitMQ stores for a password (rabbit_password_hashing_sha256). */
function hashOf(password: string): string {
  const salt = randomBytes(4)
  const hash = createHash('sha256').update(salt).update(password, 'utf8').digest()
  return Buffer.concat([salt, hash]).toString('base64')
}

const user = (name: string, password: string, tags: string) => ({
  name,
  password_hash: hashOf(password),
  hashing_algorithm: 'rabbit_password_hashing_sha256',
  tags,
})

const all: Permissions = { configure: '.*', write: '.*', read: '.*' }

/**
 * Returns users in RabbitMQ's format for a file (`load_definitions`) or its HTTP API: one for each service with a password, and an
 * administrator if one is given. With a file, RabbitMQ creates no user `guest`.
 */
export function definitions(
  passwords: Readonly<Partial<Record<BrokerService, string>>>,
  administrator?: { name: string; password: string },
) {
  const services = brokerServices.flatMap((name) => {
    const password = passwords[name]
    return password === undefined ? [] : [{ name, password, permissions: permissionsOf(name) }]
  })
  return {
    vhosts: [{ name: '/' }],
    users: [
      ...(administrator ? [user(administrator.name, administrator.password, 'administrator')] : []),
      ...services.map(({ name, password }) => user(name, password, '')),
    ],
    permissions: [
      ...(administrator ? [{ user: administrator.name, vhost: '/', ...all }] : []),
      ...services.map(({ name, permissions }) => ({ user: name, vhost: '/', ...permissions })),
    ],
  }
}
