import type {
  Cancellation,
  Method,
  OrderStatus,
  Payment,
  PaymentAction,
  PaymentState,
  RestaurantLink,
} from '@platter/contracts'
import type { ColumnType, Generated, JSONColumnType, Kysely } from 'kysely'
import type { Reports } from '#/domain/order-status.ts'
import type { OrderDetails, OrderDispute } from '#/domain/order.ts'
import type { OrderRefund } from '#/domain/refund.ts'
import type { SendOrderFacts, State } from '#/domain/saga-row.ts'

/** Written as JSON text, because pg converts a JavaScript array into a PostgreSQL array. */
type Json<T extends object | null> = JSONColumnType<T>
/** Set only by the database's clock. */
type Clock = ColumnType<Date, never, never>

export type Tables = {
  orders: {
    api_key: string
    id: Generated<number>
    application_id: string
    recipient_api_key: string | null
    restaurant_api_key: string
    placed_at: Clock
    method: Method
    payment: Payment
    test: boolean
    total: number
    status: OrderStatus
    payment_state: PaymentState
    outcome: Generated<'pending' | 'transmitted' | 'failed'>
    told: Generated<boolean>
    shown: Generated<boolean>
    details: Json<OrderDetails>
    cancellation: ColumnType<Cancellation | null, string | null, string | null>
    /** Null unless the bank awaits the customer's authentication. */
    payment_action: ColumnType<PaymentAction | null, string | null, string | null>
    /** Null without refunds. */
    refunds: ColumnType<OrderRefund[] | null, string | null, string | null>
    /** Null without a dispute. */
    dispute: ColumnType<OrderDispute | null, string | null, string | null>
    /** Null in closed orders from before this column. */
    reports: Reports | null
    /** The last transaction that changed a visible column. Defaults and a trigger set this column and the next two. */
    changed_in: ColumnType<string | null, never, never>
    changed_bucket: ColumnType<number, never, never>
    is_open: ColumnType<boolean | null, never, never>
  }
  order_statuses: { order_api_key: string; position: number; status: OrderStatus; at: Clock }
  sagas: {
    order_api_key: string
    version: number
    attempt: number
    facts: Json<SendOrderFacts>
    state: Json<State>
    request_id: string
    traceparent: string | null
    wake_at: Clock
    deadline_at: Clock
    finished_at: Clock | null
  }
  deliveries: {
    order_api_key: string
    attempts: number
    busy_until: Clock
    deadline_at: Clock
    last_result: string | null
    outcome: 'accepted' | 'refused' | 'unreachable' | null
    link_kind: RestaurantLink['kind'] | null
    cancel_at: Clock | null
    cancel_until: Clock | null
    cancel_attempts: Generated<number>
  }
  idempotency_keys: {
    access_key_id: string
    path: string
    key: string
    fingerprint: string
    /** Only for send-order, like `busy_until`. */
    order_api_key: string | null
    busy_until: ColumnType<Date | null, never, Date>
    status: number | null
    body: string | null
    created_at: Clock
  }
  restaurant_links: { restaurant_api_key: string; link: Json<RestaurantLink> }
}

export type Db = Kysely<Tables>
