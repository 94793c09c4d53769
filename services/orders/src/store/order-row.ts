import { epochOf } from '@platter/kit/postgres/epoch'
import { sql } from 'kysely'
import type { Marks, SagaOrder } from '#/domain/order-state.ts'

export type OrderRow = SagaOrder & Marks & { applicationId: string }

/** The columns of a row. `reports` is null only in closed orders from before the column, whose statuses are final. */
export const ORDER = sql<OrderRow>`
  orders.api_key as "apiKey", orders.id, orders.application_id as "applicationId", orders.recipient_api_key as "recipientApiKey",
  orders.restaurant_api_key as "restaurantApiKey", ${epochOf('orders.placed_at')} as "datePlaced", orders.method, orders.payment,
  orders.test, orders.total, orders.details, orders.status, orders.outcome, orders.payment_state as "paymentState",
  orders.payment_action as "paymentAction", orders.cancellation, coalesce(orders.refunds, '[]') as refunds, orders.dispute,
  coalesce(orders.reports, 'detailed') as reports, orders.told as "isReturned", orders.shown as "isRead"`
