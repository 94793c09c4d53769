import { hashAccessKey } from '@platter/kit/security/access-key'
import { defaultSimulatorLink } from '../simulators/src/link.ts'

/** In the order in which they are shown; the gateway comes last, being useless without the others. */
export const serviceNames = ['payments', 'accounts', 'catalog', 'orders', 'gateway'] as const
/** A service, by the name of its folder. */
export type ServiceName = (typeof serviceNames)[number]
/** Those that keep rows, each in a schema of its own. */
export const databaseServices = ['catalog', 'accounts', 'orders', 'payments'] as const satisfies ServiceName[]
/** What stands for somebody else's systems: the payment processor and the restaurants' own ones. */
export const standInNames = ['processor', 'simulators'] as const
type StandIn = (typeof standInNames)[number]
/** Everything of ours that runs. */
export type ProcessName = ServiceName | StandIn

/** What the processes need to know of one another. */
export interface Wiring {
  readonly databases: Readonly<Record<string, string>>
  readonly amqp: (service: ServiceName) => string
  readonly redis: string
  /** One port per replica. */
  readonly ports: Readonly<Record<ProcessName, readonly number[]>>
  readonly secrets: Readonly<Record<'operatorKey' | 'internalSecret' | 'passwordPepper', string>>
  readonly ledger: string
  readonly receipts: string
}

/** The variables of a process, apart from its port, which every replica has for itself. */
export function environmentOf(name: ProcessName, wiring: Wiring): Record<string, string> {
  const common = {
    HOST: '127.0.0.1',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    NODE_ENV: 'development',
    // One laptop can afford to keep every trace.
    OTEL_TRACES_SAMPLER: process.env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on',
  }
  // Our services' secret is not for what stands for somebody else's system.
  const internal = isStandIn(name) ? {} : { INTERNAL_SECRET: wiring.secrets.internalSecret }
  return { ...common, ...internal, ...ownVariables[name](wiring) }
}

const ownVariables: Readonly<Record<ProcessName, (wiring: Wiring) => Record<string, string>>> = {
  processor: (wiring) => ({ LEDGER_FILE: wiring.ledger }),
  simulators: (wiring) => ({
    GATEWAY_URL: firstUrl('gateway', wiring),
    OPERATOR_KEY: wiring.secrets.operatorKey,
    RECEIPTS_FILE: wiring.receipts,
  }),
  gateway: (wiring) => ({
    CATALOG_URL: urls('catalog', wiring),
    ACCOUNTS_URL: urls('accounts', wiring),
    ORDERS_URL: urls('orders', wiring),
    REDIS_URL: wiring.redis,
    // Whoever tries out on a laptop how many orders it takes has one application.
    ORDERS_PER_SECOND: '1000000',
  }),
  catalog: (wiring) => ({ ...rows('catalog', wiring), REDIS_URL: wiring.redis }),
  accounts: (wiring) => ({
    ...rows('accounts', wiring),
    PAYMENTS_URL: urls('payments', wiring),
    REDIS_URL: wiring.redis,
    OPERATOR_KEY_HASH: hashAccessKey(wiring.secrets.operatorKey),
    PASSWORD_PEPPER: wiring.secrets.passwordPepper,
    // Everybody who tries it out on a laptop comes from one address, by one application.
    TRIES_PER_ADDRESS: '10000',
    TRIES_PER_APPLICATION: '100000',
  }),
  payments: (wiring) => ({
    ...rows('payments', wiring),
    PROCESSOR_URL: urls('processor', wiring),
    REDIS_URL: wiring.redis,
    // Everybody who tries it out comes from one address, with the same few test cards, some of which are declined.
    CARDS_PER_USER: '10000',
    DECLINES_PER_CARD: '1000000',
    DECLINES_PER_ADDRESS: '1000000',
    DECLINES_PER_APPLICATION: '1000000',
  }),
  orders: (wiring) => ({
    ...rows('orders', wiring),
    PAYMENTS_URL: urls('payments', wiring),
    // A restaurant's system that is being written runs on the same laptop, and so do the simulators.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
    DEFAULT_RESTAURANT_LINK: defaultSimulatorLink(firstUrl('simulators', wiring)),
    // The restaurant that never answers is given up before one looks away.
    TRANSMIT_DEADLINE_MS: '6000',
  }),
}

/** Whether a process stands for somebody else's system. */
export const isStandIn = (name: ProcessName): name is StandIn =>
  (standInNames as readonly ProcessName[]).includes(name)

function urls(of: ProcessName, wiring: Wiring): string {
  return wiring.ports[of].map((port) => `http://127.0.0.1:${port}`).join(',')
}

/** Where the first replica of a process listens. */
export const firstUrl = (of: ProcessName, { ports }: Pick<Wiring, 'ports'>): string =>
  `http://127.0.0.1:${ports[of][0]}`

function rows(of: (typeof databaseServices)[number], wiring: Wiring): Record<string, string> {
  return { DATABASE_URL: wiring.databases[of] ?? '', AMQP_URL: wiring.amqp(of) }
}
