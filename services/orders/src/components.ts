import { randomUUID } from 'node:crypto'
import { Bus } from '@platter/bus'
import { requestTimes } from '@platter/contracts'
import { EventStreams, internalCaller, internalSecrets, Replicas, type Log, type Db } from '@platter/kit'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { AttendanceKeeper } from '#/attendance/keeper.ts'
import type { Config } from '#/config.ts'
import { parseDefaultLink } from '#/delivery/default-link.ts'
import { Deliverer } from '#/delivery/deliverer.ts'
import { refusingDevelopmentLinks } from '#/delivery/development-link.ts'
import { outgoing, type Outgoing } from '#/delivery/outside/outgoing.ts'
import type { Transmit } from '#/delivery/outside/restaurant-link.ts'
import { pingWebhook, transmitByWebhook } from '#/delivery/outside/webhook.ts'
import { transmitting } from '#/delivery/telemetry.ts'
import type { LinkKind } from '#/domain/order-state.ts'
import { Orchestrator, type OpenDelivery } from '#/saga/orchestrator.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'
import { PostgresAttendance } from '#/store/attendance.ts'
import { postgresIdempotent, postgresStores, type TenantStores } from '#/store/stores.ts'

const openPostgres = ({ DATABASE_URL, DATABASE_POOL, DATABASE_STATEMENTS: statements }: Config, log: Log) =>
  connectPostgres(DATABASE_URL, DATABASE_POOL, log, { joins: 'by key', statements })

export type Components = ReturnType<typeof components>

/** The parts of the process, under the names of the `Deps` that use them. None is started. */
export function components(config: Config, log: Log) {
  const postgres = openPostgres(config, log)
  const { db, as } = postgres
  const stores = postgresStores(db)
  const tenantStores: TenantStores = (caller) => postgresStores(as(caller))
  const secrets = internalSecrets(config)
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'orders', log })
  const replicas = new Replicas(config.PAYMENTS_URL)
  const payments = internalCaller({ service: 'orders', secrets, replicas, timeoutMs: requestTimes.tokenize })
  const outside = outgoing(config.WEBHOOK_ALLOWED_NETWORKS)
  const notifier = new OrderNotifier({ ...stores, bus })
  const defaultLink = parseDefaultLink(config.DEFAULT_RESTAURANT_LINK)
  const deadlines = { sagaMs: config.SAGA_DEADLINE_MS, transmitMs: config.TRANSMIT_DEADLINE_MS }
  const openDelivery: OpenDelivery = (...given) => deliverer.open(...given)
  const orchestrator = new Orchestrator({ ...stores, bus, notifier, log, deadlines, openDelivery })
  const attendance = keepAttendance({ db, bus, log, outside, defaultKind: defaultLink.kind })
  const isDevelopment = config.NODE_ENV === 'development'
  const toRestaurant = transmitter(outside, attendance)
  const transmit = transmitting(isDevelopment ? toRestaurant : refusingDevelopmentLinks(log, toRestaurant))
  const deliverer = new Deliverer({ ...stores, orchestrator, log, defaultLink, transmit })
  const stop = new AbortController()
  return {
    ...stores,
    config,
    log,
    postgres,
    db,
    tenantStores,
    idempotent: postgresIdempotent(db),
    secrets,
    bus,
    replicas,
    payments,
    outgoing: outside,
    notifier,
    streams: new EventStreams(),
    defaultLink,
    orchestrator,
    attendance,
    deliverer,
    isDevelopment,
    startWithinMs: config.TAKE_DEADLINE_MS,
    stop,
    stopping: stop.signal,
  }
}

type Keeping = { db: Db; bus: Bus; log: Log; outside: Outgoing; defaultKind: LinkKind }

const keepAttendance = ({ db, outside: { dispatcher }, ...given }: Keeping): AttendanceKeeper =>
  new AttendanceKeeper({
    ...given,
    store: new PostgresAttendance(db, given.defaultKind),
    ping: (link) => pingWebhook({ dispatcher, link }, `ping_${randomUUID()}`),
  })

/**
 * Transmits an order by its restaurant's link. The receipt of a webhook is evidence of attendance. An order for a
 * console counts as accepted, because the console reads the rows.
 */
const transmitter =
  ({ dispatcher }: Outgoing, attendance: AttendanceKeeper): Transmit =>
  async (link, sent) => {
    if (link.kind === 'console') return { kind: 'accepted' }
    const receipt = await transmitByWebhook({ dispatcher, link }, sent)
    attendance.recordReceipt(sent.order.restaurantApiKey, receipt)
    return receipt
  }
