import { randomUUID } from 'node:crypto'
import { Bus } from '@platter/bus'
import {
  CancelOrder,
  cents,
  commands,
  GetOrder,
  GetRestaurantOrder,
  OrderByKey,
  OrderMoved,
  PaymentMoved,
  GetOrderStatus,
  OrderStatuses,
  PutRestaurantLink,
  ReadAttendance,
  RefundRestaurantOrder,
  RefuseOrder,
  ReportStatus,
  requestTimes,
  RestaurantOrders,
  RestaurantOrdersStream,
  OrdersSetRefunds,
  SagaReply,
  SendOrder,
  UserOrders,
  ValidateOrder,
  type RestaurantLink,
} from '@platter/contracts'
import {
  ADMISSION_POLICIES,
  ConcurrencyLimit,
  createApp,
  EventStreams,
  internalCaller,
  internalSecrets,
  observeLimits,
  readJson,
  Repeaters,
  Replicas,
  router,
  type Log,
  type Parts,
} from '@platter/kit'
import { checkTenantRole } from '@platter/kit/postgres/tenant-scope'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import { AttendanceKeeper } from '#/attendance/keeper.ts'
import { readAttendance } from '#/attendance/routes/attendance.ts'
import { PostgresAttendance } from '#/store/attendance.ts'
import { indexBuilder } from '#/store/indexes.ts'
import type { Config } from '#/config.ts'
import { parseDefaultLink } from '#/delivery/default-link.ts'
import { refusingDevelopmentLinks, testRestaurants } from '#/delivery/development-link.ts'
import { cancelUnaccepted } from '#/delivery/cancel-unaccepted.ts'
import { Deliveries } from '#/delivery/deliver.ts'
import { notifyCancellations } from '#/delivery/notify-cancellation.ts'
import { cancelByWebhook, pingWebhook, transmitByWebhook } from '#/delivery/outside/webhook.ts'
import { operatorInterface } from '#/operating/operator-interface.ts'
import { storeDeadLetter } from '#/operating/handlers/dead-letter.ts'
import { handleReply } from '#/saga/handlers/saga-reply.ts'
import { setRefunds } from '#/saga/handlers/set-refunds.ts'
import { outgoing, type Outgoing } from '#/delivery/outside/outgoing.ts'
import type { Receipt, Transmission } from '#/delivery/outside/restaurant-link.ts'
import { tokenizer } from '#/placing/outside/tokenize.ts'
import { handlePaymentMoved } from '#/saga/handlers/payment-moved.ts'
import { rechecker } from '#/saga/recheck.ts'
import { retrySagas } from '#/saga/retry-sagas.ts'
import { orderByKey } from '#/reading/routes/order-by-key.ts'
import { orderStatus } from '#/reading/routes/order-status.ts'
import { orderStatuses } from '#/reading/routes/order-statuses.ts'
import { getOrder } from '#/reading/routes/order.ts'
import { cancelOrder } from '#/delivery/routes/cancel-order.ts'
import { refundRestaurantOrder } from '#/delivery/routes/refund-restaurant-order.ts'
import { putRestaurantLink } from '#/delivery/routes/put-restaurant-link.ts'
import { refuseOrder } from '#/delivery/routes/refuse-order.ts'
import { reportStatus } from '#/delivery/routes/report-status.ts'
import { getRestaurantOrder } from '#/reading/routes/restaurant-order.ts'
import { restaurantOrdersStream } from '#/reading/routes/restaurant-orders-stream.ts'
import { listRestaurantOrders } from '#/reading/routes/restaurant-orders.ts'
import { sendOrder } from '#/placing/routes/send-order.ts'
import { userOrders } from '#/reading/routes/user-orders.ts'
import { validateOrder } from '#/placing/routes/validate-order.ts'
import { transmitting } from '#/delivery/telemetry.ts'
import { observeSagas } from '#/saga/telemetry.ts'
import { Orchestrator, type OpenDelivery } from '#/saga/orchestrator.ts'
import {
  postgresIdempotent,
  postgresStores,
  type Idempotent,
  type OwnStores,
  type Stores,
} from '#/store/stores.ts'
import type { Db, Tables } from '#/store/tables.ts'
import { OrderNotifier } from '#/saga/order-notifier.ts'

const MIGRATIONS = new URL('../migrations', import.meta.url).pathname

/** Event streams find a change within this time when its event is lost. Changes of the payment state have no event. */
const POLL_EVERY_MS = 1_500

const openPostgres = ({ DATABASE_URL, DATABASE_POOL, DATABASE_STATEMENTS: statements }: Config, log: Log) =>
  connectPostgres<Tables>(DATABASE_URL, DATABASE_POOL, log, { joins: 'by key', statements })

export function wire(config: Config, log: Log): Parts {
  const secrets = internalSecrets(config)
  const app = createApp(log, { tlsDirectory: config.TLS_DIRECTORY })
  readJson(app)
  const postgres = openPostgres(config, log)
  const { db, as } = postgres
  const stores = postgresStores(db)
  const own: OwnStores = (caller) => postgresStores(as(caller))
  const idempotent = postgresIdempotent(db)
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'orders', log })
  const payments = new Replicas(config.PAYMENTS_URL)
  const outside = outgoing(config.WEBHOOK_ALLOWED_NETWORKS)
  const notifier = new OrderNotifier({ ...stores, bus })
  const streams = new EventStreams()
  const deadlines = { sagaMs: config.SAGA_DEADLINE_MS, transmitMs: config.TRANSMIT_DEADLINE_MS }
  const defaultLink = parseDefaultLink(config.DEFAULT_RESTAURANT_LINK)
  const openDelivery: OpenDelivery = (...given) => deliveries.open(...given)
  const orchestrator = new Orchestrator({ ...stores, bus, notifier, log, deadlines, openDelivery })
  const attendance = keepAttendance({ db, bus, log, outside, defaultKind: defaultLink.kind })
  const isDevelopment = config.NODE_ENV === 'development'
  const transmitLive = isDevelopment
    ? transmitter(outside)
    : refusingDevelopmentLinks(log, transmitter(outside))
  const transmit = transmitting(noting(attendance, transmitLive))
  const deliveries = new Deliveries({ ...stores, orchestrator, notifier, log, defaultLink, transmit })
  const limit = new ConcurrencyLimit({ permits: ADMISSION_POLICIES.order.service })
  observeLimits(() => [['order', limit]])
  const route = router(app, secrets)
  const callPayments = internalCaller({
    service: 'orders',
    secrets,
    replicas: payments,
    timeoutMs: requestTimes.tokenize,
  })
  const stop = new AbortController()
  const placing = { bus, cardMinimum: cents(config.CARD_MINIMUM_CENTS), limit }
  const waiting = { orchestrator, notifier, log, stopping: stop.signal }
  route(SendOrder, sendOrder({ ...stores, ...placing, ...waiting, tokenize: tokenizer(callPayments) }))
  route(ValidateOrder, validateOrder(placing))
  const visibility = { ...stores, own, bus }
  route(GetOrder, getOrder(visibility))
  route(OrderByKey, orderByKey({ ...stores, own, secrets }))
  route(GetOrderStatus, orderStatus(visibility))
  route(OrderStatuses, orderStatuses({ ...visibility, notifier, streams }))
  route(UserOrders, userOrders(visibility))
  route(CancelOrder, cancelOrder({ ...visibility, idempotent, orchestrator }))
  const ofRestaurants = { route, stores, outgoing: outside, notifier, streams, attendance }
  const testing = {
    acceptWithinMs: config.TAKE_DEADLINE_MS,
    isDevelopment,
    isTestRestaurant: testRestaurants(bus),
  }
  routeRestaurants({ ...ofRestaurants, idempotent, orchestrator, ...testing })
  const parts = { config, log, db, stores, bus, orchestrator, idempotent, stopping: stop.signal }
  const operators = operatorInterface(route, { ...parts, payments: callPayments })

  consume({ bus, stores, orchestrator, notifier, log, stopping: stop.signal })
  observeSagas({ ...stores, alerts: operators.alerts })

  const repeaters = new Repeaters(log)
  return {
    app,
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    async start() {
      await postgres.prepareRole()
      await migrate(db, MIGRATIONS, log)
      await checkTenantRole(as({ applicationId: '' }))
      await bus.start()
      const repeating = { orchestrator, deliveries, notifier, outside, attendance }
      startRepeating({ repeaters, config, db, stores, log, signal: stop.signal, ...repeating })
      operators.repeat(repeaters)
    },
    async quiesce() {
      stop.abort()
      streams.end()
      await Promise.all([bus.quiesce(), repeaters.stop()])
      await deliveries.quiesce()
    },
    close: async () =>
      void (await Promise.all([bus, payments, outside, operators, postgres].map((one) => one.close()))),
  }
}

type Consuming = {
  bus: Bus
  stores: Stores
  orchestrator: Orchestrator
  notifier: OrderNotifier
  log: Log
  stopping: AbortSignal
}

/** The messages that orders consumes. */
function consume({ bus, stores, orchestrator, notifier, log, stopping }: Consuming): void {
  bus.onCommand(SagaReply, handleReply({ orchestrator, recheck: rechecker({ ...stores, bus, log }), log }))
  bus.onCommand(OrdersSetRefunds, setRefunds({ ...stores, orchestrator, bus, log }))
  bus.onCommand(PaymentMoved, handlePaymentMoved({ orchestrator }))
  for (const command of commands)
    bus.onDeadLetter(command, storeDeadLetter({ ...stores, log, stopping }, command))
  bus.onEvent(OrderMoved, (event) => notifier.receive(event))
}

type OfRestaurants = {
  route: ReturnType<typeof router>
  stores: Stores
  outgoing: Outgoing
  notifier: OrderNotifier
  streams: EventStreams
  attendance: AttendanceKeeper
  acceptWithinMs: number
  idempotent: Idempotent
  orchestrator: Orchestrator
  isDevelopment: boolean
  isTestRestaurant: ReturnType<typeof testRestaurants>
}

/** What restaurants do with their orders, and how the orders reach them. */
function routeRestaurants({ route, stores, ...deps }: OfRestaurants): void {
  const all = { ...stores, ...deps }
  route(PutRestaurantLink, putRestaurantLink(all))
  route(RestaurantOrders, listRestaurantOrders(all))
  route(RestaurantOrdersStream, restaurantOrdersStream(all))
  route(ReadAttendance, readAttendance(all))
  route(GetRestaurantOrder, getRestaurantOrder(all))
  route(ReportStatus, reportStatus(all))
  route(RefuseOrder, refuseOrder(all))
  route(RefundRestaurantOrder, refundRestaurantOrder(all))
}

type Repeating = {
  repeaters: Repeaters
  config: Config
  db: Db
  stores: Stores
  orchestrator: Orchestrator
  deliveries: Deliveries
  notifier: OrderNotifier
  outside: Outgoing
  attendance: AttendanceKeeper
  log: Log
  signal: AbortSignal
}

/** The sweepers of every replica. */
function startRepeating({ repeaters, config, db, stores, ...deps }: Repeating): void {
  const { orchestrator, deliveries, notifier, outside, attendance, log, signal } = deps
  const unaccepted = { ...stores, orchestrator, withinMs: config.TAKE_DEADLINE_MS }
  const defaultLink = parseDefaultLink(config.DEFAULT_RESTAURANT_LINK)
  const cancelled = { ...stores, log, defaultLink, cancel: canceller(outside) }
  const buildIndexes = indexBuilder({ url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, log, signal })
  repeaters.repeat('build indexes', 30_000, buildIndexes)
  repeaters.repeat('retry commands', 500, () => retrySagas({ ...stores, orchestrator, log }))
  repeaters.repeat('retry deliveries', 500, () => deliveries.sweep())
  repeaters.repeat('renew leases', 500, () => deliveries.renewLeases())
  repeaters.repeat('forget old idempotency keys', 3_600_000, () => deleteExpiredKeys(db))
  repeaters.repeat('cancel unaccepted orders', 5_000, () => cancelUnaccepted(unaccepted))
  repeaters.repeat('notify cancellations', 1_000, () => notifyCancellations(cancelled))
  repeaters.repeat('poll for changed orders', POLL_EVERY_MS, () => notifier.poll())
  repeaters.repeat('count deliveries of webhooks', 1_000, () => attendance.flush())
  repeaters.repeat('ping webhooks', 1_000, () => attendance.pingDue())
  repeaters.repeat('end attendance', 2_000, () => attendance.sweep())
  repeaters.repeat('publish attendance', 15_000, () => attendance.publishAll())
}

type Keeping = { db: Db; bus: Bus; log: Log; outside: Outgoing; defaultKind: RestaurantLink['kind'] }

const keepAttendance = ({ db, outside: { dispatcher }, ...given }: Keeping): AttendanceKeeper =>
  new AttendanceKeeper({
    ...given,
    store: new PostgresAttendance(db, given.defaultKind),
    ping: (link) => pingWebhook({ dispatcher, link }, `ping_${randomUUID()}`),
  })

type Transmit = (link: RestaurantLink, sent: Transmission) => Promise<Receipt>

/** Each receipt of a webhook is evidence of attendance. */
const noting =
  (attendance: Pick<AttendanceKeeper, 'note'>, transmit: Transmit): Transmit =>
  async (link, sent) => {
    const receipt = await transmit(link, sent)
    if (link.kind === 'webhook') attendance.note(sent.order.restaurantApiKey, receipt)
    return receipt
  }

/** Transmits an order by its restaurant's link. A console shows the rows, so a stored order is accepted. */
const transmitter =
  ({ dispatcher }: Outgoing) =>
  async (link: RestaurantLink, sent: Transmission): Promise<Receipt> =>
    link.kind === 'webhook' ? transmitByWebhook({ dispatcher, link }, sent) : { kind: 'accepted' }

/** Notifies a restaurant of a cancellation by its link. A console shows the rows. */
const canceller =
  ({ dispatcher }: Outgoing) =>
  async (link: RestaurantLink, sent: Transmission): Promise<boolean> =>
    link.kind === 'webhook' ? cancelByWebhook({ dispatcher, link }, sent) : true
