import { hashAccessKey } from '@platter/kit/access-key'
import type { Secrets } from './secrets.ts'

/** In the order in which they are shown; the gateway comes last, being useless without the others. */
export const serviceNames = ['payments', 'accounts', 'catalog', 'orders', 'gateway'] as const
/** A service, by the name of its folder. */
export type ServiceName = (typeof serviceNames)[number]
/** Those that keep rows, each in a schema of its own. */
export const databaseServices = ['catalog', 'accounts', 'orders', 'payments'] as const satisfies ServiceName[]
/** Everything of ours that runs: the services and the development payment processor. */
export type ProcessName = ServiceName | 'processor'

/** What the processes need to know of one another. */
export interface Wiring {
  readonly databases: Readonly<Record<string, string>>
  readonly amqp: (service: ServiceName) => string
  readonly redis: string
  /** One port per replica. */
  readonly ports: Readonly<Record<ProcessName, readonly number[]>>
  readonly secrets: Secrets
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
  // The payment processor stands for somebody else's: our services' secret is not for it.
  const internal = name === 'processor' ? {} : { INTERNAL_SECRET: wiring.secrets.internalSecret }
  return { ...common, ...internal, ...ownVariables[name](wiring) }
}

const ownVariables: Readonly<Record<ProcessName, (wiring: Wiring) => Record<string, string>>> = {
  processor: (wiring) => ({ LEDGER_FILE: wiring.ledger }),
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
    ...simulation(wiring),
  }),
}

function urls(of: ProcessName, wiring: Wiring): string {
  return wiring.ports[of].map((port) => `http://127.0.0.1:${port}`).join(',')
}

function rows(of: (typeof databaseServices)[number], wiring: Wiring): Record<string, string> {
  return { DATABASE_URL: wiring.databases[of] ?? '', AMQP_URL: wiring.amqp(of) }
}

// Fast enough to watch an order go through all its statuses, and for the restaurant that never answers to be
// given up before one looks away.
function simulation(wiring: Wiring): Record<string, string> {
  return {
    SIMULATOR_RECEIPTS: wiring.receipts,
    // A restaurant's system that is being written runs on the same laptop.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
    DEFAULT_RESTAURANT_LINK: 'simulator:accepts',
    SIMULATOR_STEP_MS: '3000',
    SIMULATOR_SLOW_MS: '10000',
    TRANSMIT_DEADLINE_MS: '6000',
  }
}
