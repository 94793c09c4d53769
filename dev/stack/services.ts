import { hashAccessKey } from '@platter/kit/security/access-key'
import { defaultSimulatorLink } from '../simulators/src/link.ts'

/** In the order of display; the gateway comes last, because it needs the others. */
export const serviceNames = ['payments', 'accounts', 'catalog', 'orders', 'gateway'] as const
/** A service, by the name of its folder. */
export type ServiceName = (typeof serviceNames)[number]
/** The services with a schema. */
export const databaseServices = ['catalog', 'accounts', 'orders', 'payments'] as const satisfies ServiceName[]
/** The simulated third parties: the payment processor and the restaurants' systems. */
export const standInNames = ['processor', 'simulators'] as const
type StandIn = (typeof standInNames)[number]
/** A process of the stack, without the servers. */
export type ProcessName = ServiceName | StandIn

/** The addresses and secrets that the processes share. */
export type Wiring = {
  readonly databases: Readonly<Record<string, string>>
  readonly amqp: (service: ServiceName) => string
  readonly redis: string
  /** One port per replica. */
  readonly ports: Readonly<Record<ProcessName, readonly number[]>>
  readonly secrets: Readonly<Record<'operatorKey' | 'internalSecret' | 'passwordPepper', string>>
  /** The services speak https; the simulated third parties do not. */
  readonly https: boolean
  readonly ledger: string
  readonly receipts: string
}

/** Returns the variables of a process, without its port, which differs between replicas. */
export function environmentOf(name: ProcessName, wiring: Wiring): Record<string, string> {
  const common = {
    HOST: '127.0.0.1',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'info',
    NODE_ENV: 'development',
    // On one machine, every trace can be kept.
    OTEL_TRACES_SAMPLER: process.env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on',
  }
  // A simulated third party must not receive the secret of the services.
  const internal = isStandIn(name) ? {} : { INTERNAL_SECRET: wiring.secrets.internalSecret }
  return { ...common, ...internal, ...ownVariables[name](wiring) }
}

const ownVariables: Readonly<Record<ProcessName, (wiring: Wiring) => Record<string, string>>> = {
  processor: (wiring) => ({
    LEDGER_FILE: wiring.ledger,
    WEBHOOK_URL: `${firstUrl('gateway', wiring)}/webhooks/processor`,
  }),
  simulators: (wiring) => ({
    GATEWAY_URL: firstUrl('gateway', wiring),
    OPERATOR_KEY: wiring.secrets.operatorKey,
    RECEIPTS_FILE: wiring.receipts,
  }),
  gateway: (wiring) => ({
    CATALOG_URL: urls('catalog', wiring),
    ACCOUNTS_URL: urls('accounts', wiring),
    ORDERS_URL: urls('orders', wiring),
    // For payment-methods and the events of the processor.
    PAYMENTS_URL: urls('payments', wiring),
    ...cardVariables(),
    REDIS_URL: wiring.redis,
    // A developer's load test uses one application.
    ...limits({ ORDERS_PER_SECOND: '1000000' }),
  }),
  catalog: (wiring) => ({ ...rows('catalog', wiring), REDIS_URL: wiring.redis }),
  accounts: (wiring) => ({
    ...rows('accounts', wiring),
    PAYMENTS_URL: urls('payments', wiring),
    REDIS_URL: wiring.redis,
    OPERATOR_KEY_HASH: hashAccessKey(wiring.secrets.operatorKey),
    PASSWORD_PEPPER: wiring.secrets.passwordPepper,
    // In development, all requests come from one address and one application.
    ...limits({ TRIES_PER_ADDRESS: '10000', TRIES_PER_APPLICATION: '100000' }),
  }),
  payments: (wiring) => ({
    ...rows('payments', wiring),
    PROCESSOR_URL: urls('processor', wiring),
    ...cardVariables(),
    // The default of the processor.
    PROCESSOR_WEBHOOK_SECRET: 'whsec_development',
    REDIS_URL: wiring.redis,
    // In development, all cards come from one address, and some of the few test cards are always declined.
    ...limits({
      CARDS_PER_USER: '10000',
      DECLINES_PER_CARD: '1000000',
      DECLINES_PER_ADDRESS: '1000000',
      DECLINES_PER_APPLICATION: '1000000',
    }),
  }),
  orders: (wiring) => ({
    ...rows('orders', wiring),
    PAYMENTS_URL: urls('payments', wiring),
    // The simulators run on this machine, and so does a restaurant's system in development.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1',
    DEFAULT_RESTAURANT_LINK: defaultSimulatorLink(firstUrl('simulators', wiring)),
    // Short, so that a developer sees the failure of an order at the restaurant that never responds.
    ...limits({ TRANSMIT_DEADLINE_MS: '6000' }),
  }),
}

/** Limits for development. A variable of the shell takes precedence, so that a developer can try the limits of production. */
const limits = (development: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(development).map(([name, value]) => [name, process.env[name] ?? value]))

/** RAW_CARDS=refuse npm start: clients pay by token only, as with a real processor. */
const cardVariables = () => ({ RAW_CARDS: process.env['RAW_CARDS'] ?? '' })

/** True for a simulated third party. */
export const isStandIn = (name: ProcessName): name is StandIn =>
  (standInNames as readonly ProcessName[]).includes(name)

type Addresses = Pick<Wiring, 'ports' | 'https'>

/** The URLs of all replicas of a process. */
export const urlsOf = (of: ProcessName, { ports, https }: Addresses): readonly string[] =>
  ports[of].map((port) => `${https && !isStandIn(of) ? 'https' : 'http'}://127.0.0.1:${port}`)

const urls = (of: ProcessName, wiring: Addresses): string => urlsOf(of, wiring).join(',')

/** The URL of the first replica of a process. */
export const firstUrl = (of: ProcessName, wiring: Addresses): string => urlsOf(of, wiring)[0] ?? ''

function rows(of: (typeof databaseServices)[number], wiring: Wiring): Record<string, string> {
  return { DATABASE_URL: wiring.databases[of] ?? '', AMQP_URL: wiring.amqp(of) }
}
