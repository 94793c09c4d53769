import { createHash, randomBytes } from 'node:crypto'
import * as contracts from '@platter/contracts'
import type { Command, Event, Question } from '@platter/contracts'

/** What a user may make, send to and take from: regular expressions of names of queues and exchanges. */
export interface Permissions {
  readonly configure: string
  readonly write: string
  readonly read: string
}

type Message = Command | Question | Event
const isMessage = (one: unknown): one is Message =>
  typeof one === 'object' && one !== null && 'owner' in one && 'kind' in one && 'data' in one
const messages = (Object.values(contracts) as readonly unknown[])
  .filter(isMessage)
  .toSorted((one, other) => one.name.localeCompare(other.name))

/** The services that hear messages. */
export const brokerServices = ['catalog', 'accounts', 'orders', 'payments'] as const
/** One of them. */
export type BrokerService = (typeof brokerServices)[number]

/** Consumes the dead letters of all services (docs/decisions/0016-incidents-and-reconciliation.md). */
const KEEPER_OF_DEAD_LETTERS: BrokerService = 'orders'

/**
 * Commands of the version before this one. While an upgrade is rolled out, its replicas still declare their queues: without
 * the right to, they would lose their connections over and over.
 */
const RETIRED: Readonly<Partial<Record<BrokerService, readonly string[]>>> = {
  orders: ['restaurants.transmit'],
}

/**
 * What a service needs of RabbitMQ, by the messages that it owns (packages/bus/src/topology.ts): a name and any
 * version of it. It takes from its own queues only. Everybody may send through the default exchange, by which
 * commands, questions and their answers go: RabbitMQ does not ask there for whom a message is.
 */
export function permissionsOf(service: BrokerService): Permissions {
  const own = messages.filter(({ owner }) => owner === service)
  const hasEvents = own.some(({ kind }) => kind === 'event')
  const names = [
    ...[...own.map(({ name }) => name), ...(RETIRED[service] ?? [])].map(
      (name) => `${name.replaceAll('.', '\\.')}\\.v\\d+(\\.dead)?`,
    ),
    ...(service === KEEPER_OF_DEAD_LETTERS ? ['.*\\.dead'] : []),
    // A queue of its own for each who listens; the server makes up its name, which nobody can guess.
    ...(hasEvents ? ['amq\\.gen-.*'] : []),
  ]
  return { configure: anyOf(names), write: anyOf([...names, 'amq\\.default']), read: anyOf(names) }
}

const anyOf = (names: readonly string[]) => `^(${names.join('|')})$`

/** RabbitMQ keeps no password, but this (rabbit_password_hashing_sha256). */
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
 * Users as RabbitMQ takes them in a file (`load_definitions`) or over its HTTP interface: one for each service
 * with a password, and an administrator where one is given. With a file there is no `guest`.
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
