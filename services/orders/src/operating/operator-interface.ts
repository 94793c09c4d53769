import {
  DiscardAttention,
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
import type { Repeaters, router } from '@platter/kit'
import { readDatabaseHealth } from '@platter/kit/postgres/database-health'
import { channelsOf } from '#/operating/alerts/channels.ts'
import { compareIncidents } from '#/operating/alerts/compare-incidents.ts'
import { deliverAlerts } from '#/operating/alerts/deliver-alerts.ts'
import { reconcileDaily } from '#/operating/reconcile-daily.ts'
import { attention } from '#/operating/routes/attention.ts'
import { discardAttention } from '#/operating/routes/discard-attention.ts'
import { findOrders } from '#/operating/routes/find-orders.ts'
import { operatorCancelOrder } from '#/operating/routes/operator-cancel-order.ts'
import { getOrderStory } from '#/operating/routes/order-story.ts'
import { platformHealth } from '#/operating/routes/platform-health.ts'
import { reconciliation } from '#/operating/routes/reconciliation.ts'
import { refundOrder } from '#/operating/routes/refund-order.ts'
import { retryAttention } from '#/operating/routes/retry-attention.ts'
import { sendTestAlert } from '#/operating/routes/test-alert.ts'
import { PostgresAlerts } from '#/store/alerts.ts'
import { ordersIndexes } from '#/store/indexes.ts'
import { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import type { Components } from '#/components.ts'

/** The operations of operators, and the repeated work for incidents. */
export function operatorInterface(route: ReturnType<typeof router>, all: Components) {
  const { config, db, bus } = all
  const alerting = { alerts: new PostgresAlerts(db), scheduledRuns: new PostgresScheduledRuns(db) }
  const channels = channelsOf(config)
  const incidents = { ...all, ...alerting, channels }
  route(FindOrders, findOrders(all))
  route(GetOrderStory, getOrderStory(all))
  route(OperatorCancelOrder, operatorCancelOrder(all))
  route(RefundOrder, refundOrder(all))
  route(Reconciliation, reconciliation(all))
  const database = async () => readDatabaseHealth(db, await ordersIndexes())
  const queues = () => bus.queues()
  route(PlatformHealth, platformHealth({ ...all, development: all.isDevelopment, database, queues }))
  route(ReadAttention, attention(incidents))
  route(RetryAttention, retryAttention(incidents))
  route(DiscardAttention, discardAttention(all))
  route(TestAlert, sendTestAlert({ channels }))
  return {
    alerts: alerting.alerts,
    /** Rows decide which replica acts. */
    repeat(repeaters: Repeaters) {
      repeaters.repeat('compare incidents', 5_000, () => compareIncidents(incidents))
      repeaters.repeat('reconcile daily', 60_000, () => reconcileDaily(incidents))
      repeaters.repeat('delete old alerts', 3_600_000, () => alerting.alerts.deleteOld())
      if (channels.length > 0) repeaters.repeat('deliver alerts', 2_000, () => deliverAlerts(incidents))
    },
    close: async () => void (await Promise.all(channels.map((one) => one.close()))),
  }
}
