import { join } from 'node:path'
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
  RestaurantOrders,
  RestaurantOrdersStream,
  OrdersSetRefunds,
  SagaReply,
  SendOrder,
  UserOrders,
  ValidateOrder,
} from '@platter/contracts'
import {
  ADMISSION_POLICIES,
  ConcurrencyLimit,
  createApp,
  observeLimits,
  readJson,
  type Repeaters,
  router,
  type Log,
  type Parts,
} from '@platter/kit'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { schemaOwner } from '@platter/kit/lifecycle/schema-owner'
import { readAttendance } from '#/attendance/routes/attendance.ts'
import { indexBuilder } from '#/store/indexes.ts'
import type { Config } from '#/config.ts'
import { testRestaurants } from '#/delivery/development-link.ts'
import { cancelUnstarted } from '#/delivery/cancel-unstarted.ts'
import { notifyCancellations, type Cancel } from '#/delivery/notify-cancellation.ts'
import { cancelByWebhook } from '#/delivery/outside/webhook.ts'
import { operatorInterface } from '#/operating/operator-interface.ts'
import { storeDeadLetter } from '#/operating/handlers/dead-letter.ts'
import { handleReply } from '#/saga/handlers/saga-reply.ts'
import { setRefunds } from '#/saga/handlers/set-refunds.ts'
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
import { observeSagas } from '#/saga/telemetry.ts'
import { components, type Components } from '#/components.ts'
import { RENEW_EVERY_MS } from '#/delivery/deliverer.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

/** Event streams find a change within this time if its event is lost. Changes of the payment state have no event. */
const POLL_EVERY_MS = 1_500

export function wire(config: Config, log: Log): Parts {
  const app = createApp(log, { tlsDirectory: config.TLS_DIRECTORY })
  readJson(app)
  const all = components(config, log)
  const { postgres, bus, deliverer, streams, replicas, outgoing, stop } = all
  const route = router(app, all.secrets)
  routeApplications(route, all)
  routeRestaurants(route, all)
  const operators = operatorInterface(route, all)
  consume(all)
  observeSagas({ ...all, alerts: operators.alerts })

  const parts = schemaOwner(
    { app, log, postgres, bus, migrations: MIGRATIONS },
    {
      repeat(repeaters) {
        startRepeating(repeaters, all)
        operators.repeat(repeaters)
      },
      connections: [replicas, outgoing, operators],
    },
  )
  return {
    ...parts,
    async quiesce() {
      stop.abort()
      streams.end()
      await deliverer.quiesce(parts.quiesce())
    },
  }
}

type Route = ReturnType<typeof router>

/** Registers the operations of applications on orders. */
function routeApplications(route: Route, all: Components): void {
  const limit = new ConcurrencyLimit({ permits: ADMISSION_POLICIES.order.service })
  observeLimits(() => [['order', limit]])
  const placing = { ...all, limit, cardMinimum: cents(all.config.CARD_MINIMUM_CENTS) }
  route(SendOrder, sendOrder(placing))
  route(ValidateOrder, validateOrder(placing))
  route(GetOrder, getOrder(all))
  route(OrderByKey, orderByKey(all))
  route(GetOrderStatus, orderStatus(all))
  route(OrderStatuses, orderStatuses(all))
  route(UserOrders, userOrders(all))
  route(CancelOrder, cancelOrder(all))
}

/** Registers the operations of restaurants on their orders and links. */
function routeRestaurants(route: Route, all: Components): void {
  const isTestRestaurant = testRestaurants(all.bus)
  route(PutRestaurantLink, putRestaurantLink({ ...all, isTestRestaurant }))
  route(RestaurantOrders, listRestaurantOrders(all))
  route(RestaurantOrdersStream, restaurantOrdersStream(all))
  route(ReadAttendance, readAttendance(all))
  route(GetRestaurantOrder, getRestaurantOrder(all))
  route(ReportStatus, reportStatus(all))
  route(RefuseOrder, refuseOrder(all))
  route(RefundRestaurantOrder, refundRestaurantOrder(all))
}

/** Registers the consumers of messages. */
function consume(all: Components): void {
  const { bus, notifier } = all
  bus.onCommand(SagaReply, handleReply({ ...all, recheck: rechecker(all) }))
  bus.onCommand(OrdersSetRefunds, setRefunds(all))
  bus.onCommand(PaymentMoved, handlePaymentMoved(all))
  for (const command of commands) bus.onDeadLetter(command, storeDeadLetter(all, command))
  bus.onEvent(OrderMoved, (event) => notifier.receive(event))
}

/** Starts the sweepers, which run on every replica. */
function startRepeating(repeaters: Repeaters, all: Components): void {
  const { config, db, deliverer, notifier, attendance, log, stopping: signal } = all
  const { dispatcher } = all.outgoing
  const cancel: Cancel = (link, sent) => cancelByWebhook({ dispatcher, link }, sent)
  const buildIndexes = indexBuilder({ url: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL, log, signal })
  repeaters.repeat('build indexes', 30_000, buildIndexes)
  repeaters.repeat('retry commands', 500, () => retrySagas(all))
  repeaters.repeat('retry deliveries', 500, () => deliverer.sweep())
  repeaters.repeat('renew leases', RENEW_EVERY_MS, () => deliverer.renewLeases())
  repeaters.repeat('delete expired idempotency keys', 3_600_000, () => deleteExpiredKeys(db))
  repeaters.repeat('cancel unstarted orders', 5_000, () => cancelUnstarted(all))
  repeaters.repeat('notify cancellations', 1_000, () => notifyCancellations({ ...all, cancel }))
  repeaters.repeat('poll for changed orders', POLL_EVERY_MS, () => notifier.poll())
  repeaters.repeat('count deliveries of webhooks', 1_000, () => attendance.flush())
  repeaters.repeat('ping webhooks', 1_000, () => attendance.pingDue())
  repeaters.repeat('end attendance', 2_000, () => attendance.sweep())
  repeaters.repeat('publish attendance', 15_000, () => attendance.publishAll())
}
