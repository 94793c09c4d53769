import type {
  Cancellation,
  Method,
  OrderStatus,
  Payment,
  PaymentAction,
  PaymentState,
} from '@platter/contracts'
import type { OrderOutcome } from '#/domain/order-state.ts'
import type { Reports } from '#/domain/order-status.ts'
import type { OrderDetails } from '#/domain/order.ts'
import type { OrderDispute, OrderRefund } from '#/domain/refund.ts'

/** A row of `orders`, with the columns that a statement reads. */
export type OrderRow = {
  api_key: string
  id: number
  application_id: string
  recipient_api_key: string | null
  restaurant_api_key: string
  placed_at: Date
  method: Method
  payment: Payment
  test: boolean
  total: number
  status: OrderStatus
  payment_state: PaymentState
  outcome: OrderOutcome
  told: boolean
  shown: boolean
  details: OrderDetails
  cancellation: Cancellation | null
  /** Null unless the bank awaits the customer's authentication. */
  payment_action: PaymentAction | null
  /** Null without refunds. */
  refunds: OrderRefund[] | null
  /** Null without a dispute. */
  dispute: OrderDispute | null
  /** Null in closed orders from before this column. */
  reports: Reports | null
  /** The last transaction that changed a visible column. Defaults and a trigger set it. */
  changed_in: string | null
}
