import { sql } from 'kysely'
import type { DeliveryState, OrderState } from '#/domain/order-state.ts'
import { reservedOf } from '#/domain/refund.ts'
import type { Saga } from '#/domain/saga-row.ts'

/* Common parts of a save and a placement: the columns of `given`, and their values. */

/**
 * `retryInMs`: the time until the saga is due for the sweeper; null for a finished saga. `deadlineInMs`: null leaves it unchanged.
 * `leaseMs`, `deliverWithinMs`: for a new delivery.
 */
export type Times = {
  retryInMs: number | null
  deadlineInMs: number | null
  leaseMs: number
  deliverWithinMs: number
}

/** The data of one commit. */
export type Saved = Times & { order: OrderState; saga: Saga; delivery: DeliveryState | null }

/** The columns of `given`. */
export const GIVEN = sql`
  order_api_key text, version integer, facts jsonb, state jsonb, retry_in float8, deadline_in float8, status text,
  outcome text, told boolean, payment_state text, cancellation jsonb, has_delivery boolean, delivered text, link_kind text,
  notice_in float8, lease float8, deliver_within float8, respond_within float8, refunds jsonb, refunded integer,
  payment_action jsonb, dispute jsonb`

/** `status`: null leaves it unchanged. */
export const savedRow = (
  { order, saga, delivery, ...times }: Saved,
  status: OrderState['status'] | null,
) => ({
  order_api_key: saga.orderApiKey,
  version: saga.version,
  state: saga.state,
  retry_in: times.retryInMs,
  deadline_in: times.deadlineInMs,
  status,
  outcome: order.outcome,
  told: order.isReturned ?? false,
  payment_state: order.paymentState,
  cancellation: order.cancellation,
  ...(order.paymentAction && { payment_action: order.paymentAction }),
  has_delivery: delivery !== null,
  delivered: delivery?.outcome ?? null,
  link_kind: delivery?.link ?? null,
  notice_in: delivery?.noticeInMs ?? null,
  lease: times.leaseMs,
  deliver_within: times.deliverWithinMs,
  respond_within: saga.facts.respondWithinMs ?? null,
  ...(order.refunds.length > 0 && {
    refunds: order.refunds,
    // The sum may exceed the total: a refund here was reserved while another one was made at the processor.
    refunded: Math.min(saga.facts.total, reservedOf(order.refunds)),
  }),
  ...(order.dispute && { dispute: order.dispute }),
})
