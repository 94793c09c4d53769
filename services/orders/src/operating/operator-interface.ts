import type { Bus } from '@platter/bus'
import {
  FindOrders,
  GetOrderStory,
  OperatorCancelOrder,
  PlatformHealth,
  ReadAttention,
  Reconciliation,
  RefundOrder,
  RetryAttention,
  TestAlert,
} from '@platter/contracts'
import type { internalCaller, Log, Repeaters, router } from '@platter/kit'
import { readDatabaseHealth } from '@platter/kit/postgres/database-health'
import type { Config } from '#/config.ts'
import { channelsOf } from '#/operating/alerts/channels.ts'
import { repeatAlerting } from '#/operating/alerts/repeat.ts'
import { attention } from '#/operating/routes/attention.ts'
import { findOrders } from '#/operating/routes/find-orders.ts'
import { operatorCancelOrder } from '#/operating/routes/operator-cancel-order.ts'
import { getOrderStory } from '#/operating/routes/order-story.ts'
import { platformHealth } from '#/operating/routes/platform-health.ts'
import { reconciliation } from '#/operating/routes/reconciliation.ts'
import { refundOrder } from '#/operating/routes/refund-order.ts'
import { retryAttention } from '#/operating/routes/retry-attention.ts'
import { sendTestAlert } from '#/operating/routes/test-alert.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { PostgresAlerts } from '#/store/alerts.ts'
import { ordersIndexes } from '#/store/indexes.ts'
import { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'
import type { Db } from '#/store/tables.ts'

type Deps = {
  config: Config
  log: Log
  db: Db
  stores: Stores
  bus: Bus
  payments: ReturnType<typeof internalCaller>
  orchestrator: Orchestrator
  idempotent: Idempotent
  stopping: AbortSignal
}

/** The operations of operators, and the repeated work around incidents. */
export function operatorInterface(route: ReturnType<typeof router>, deps: Deps) {
  const { config, log, db, stores, bus, payments, orchestrator, idempotent, stopping } = deps
  const { TAKE_DEADLINE_MS: acceptWithinMs, UNKNOWN_AFTER_MS: unknownAfterMs } = config
  const operating = { ...stores, payments }
  const alerting = { alerts: new PostgresAlerts(db), scheduledRuns: new PostgresScheduledRuns(db) }
  const channels = channelsOf(config)
  const incidents = { ...operating, ...alerting, bus, unknownAfterMs, acceptWithinMs }
  route(FindOrders, findOrders(operating))
  route(GetOrderStory, getOrderStory(operating))
  route(OperatorCancelOrder, operatorCancelOrder({ ...operating, idempotent, orchestrator }))
  route(RefundOrder, refundOrder({ ...operating, idempotent, orchestrator }))
  route(Reconciliation, reconciliation(operating))
  const database = async () => readDatabaseHealth(db, await ordersIndexes())
  const reads = { database, queues: () => bus.queues() }
  route(
    PlatformHealth,
    platformHealth({ development: config.NODE_ENV === 'development', payments, ...reads }),
  )
  route(ReadAttention, attention(incidents))
  route(RetryAttention, retryAttention({ ...incidents, idempotent }))
  route(TestAlert, sendTestAlert({ channels }))
  return {
    alerts: alerting.alerts,
    repeat: (repeaters: Repeaters) => repeatAlerting({ ...incidents, repeaters, channels, stopping, log }),
    close: async () => void (await Promise.all(channels.map((one) => one.close()))),
  }
}
