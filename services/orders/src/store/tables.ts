import type {
  Cancellation,
  Method,
  OrderStatus,
  Payment,
  PaymentAction,
  PaymentState,
} from '@platter/contracts'
import type { ColumnType, Generated, JSONColumnType, Kysely, Selectable } from 'kysely'
import type { OrderOutcome } from '#/domain/order-state.ts'
import type { Reports } from '#/domain/order-status.ts'
import type { OrderDetails, OrderDispute } from '#/domain/order.ts'
import type { OrderRefund } from '#/domain/refund.ts'

/** The tables that the query builder of a test writes. Stores use statements in SQL, which declare their rows. */
export type Tables = {
  orders: {
    api_key: string
    id: Generated<number>
    application_id: string
    recipient_api_key: string | null
    restaurant_api_key: string
    placed_at: ColumnType<Date, never, never>
    method: Method
    payment: Payment
    test: boolean
    total: number
    status: OrderStatus
    payment_state: PaymentState
    outcome: Generated<OrderOutcome>
    told: Generated<boolean>
    shown: Generated<boolean>
    /** Written as JSON text, because pg converts a JavaScript array into a PostgreSQL array. */
    details: JSONColumnType<OrderDetails>
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
  order_statuses: {
    order_api_key: string
    position: number
    status: OrderStatus
    at: ColumnType<Date, never, never>
  }
}

export type OrderRow = Selectable<Tables['orders']>

export type Db = Kysely<Tables>
