import { OrderStatus, PaymentState } from '@platter/contracts'
import type { OrderFilter } from '../../services/orders/src/store/order-search.ts'

/** Values of existing orders. Half: the time in the middle of all orders. Day: the seconds of a range after it. */
type Known = Required<Pick<OrderFilter, 'number' | 'phone' | 'email' | 'restaurant'>> & {
  half: number
  day: number
}

/** Returns each field alone, and each pair of fields, with each value of a status or a payment state. */
export function singlesAndPairs(known: Known): OrderFilter[] {
  const { number, phone, email, restaurant, half, day } = known
  const fields: OrderFilter[][] = [
    [{ number }],
    [{ phone }, { phone: '000' }],
    [{ email }],
    [{ restaurant }, { restaurant: 'none' }],
    [{ from: half }, { to: half }, { from: half, to: half + day }],
    OrderStatus.options.map((status) => ({ status })),
    PaymentState.options.map((paymentState) => ({ paymentState })),
  ]
  const pairs = fields.flatMap((some, at) =>
    fields
      .slice(at + 1)
      .flatMap((others) => some.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
  )
  return [{}, ...fields.flat(), ...pairs]
}
