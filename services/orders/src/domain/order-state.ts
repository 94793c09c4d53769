import type { RestaurantLink } from '@platter/contracts'
import type { PlacedOrder } from './order.ts'

/** pending: the saga runs; transmitted: the restaurant has it; failed: hidden from clients that were not shown it. */
export type OrderOutcome = 'pending' | 'transmitted' | 'failed'

/** The part of an order that its saga changes. */
export type OrderState = Pick<PlacedOrder, 'status' | 'paymentState' | 'cancellation'> & {
  outcome: OrderOutcome
}

/** An order with its outcome, as loaded with its saga. */
export type SagaOrder = PlacedOrder & { outcome: OrderOutcome }

/** The transmission of an order to its restaurant. */
export type DeliveryState = {
  /** Null while attempts are made. */
  outcome: 'accepted' | 'refused' | 'unreachable' | null
  /** By which it was accepted or refused; null leaves that of the last attempt. */
  link: RestaurantLink['kind'] | null
  /** The restaurant may have the order although it was given up, and has to be notified of the cancellation. */
  isNoticeDue: boolean
}
