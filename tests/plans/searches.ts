import type { OrderFilter } from '../../services/orders/src/store/order-search.ts'

/** Values of existing orders. Half: the time in the middle of all orders. Day: the seconds of a range after it. */
export type Known = {
  number: number
  phone: string
  email: string
  restaurant: string
  half: number
  day: number
}

const STATUSES = ['PROCESSING', 'AWAITING_PREPARATION', 'PREPARING', 'READY_FOR_PICKUP', 'DELIVERED'] as const
const STATES = ['NOT_REQUIRED', 'DUE', 'PENDING', 'AUTHORIZED', 'CHARGED', 'VOIDED', 'REFUNDED'] as const

/** Returns each field alone, and each pair of fields, with each value of a status or a payment state. */
export function singlesAndPairs(known: Known): OrderFilter[] {
  const { number, phone, email, restaurant, half, day } = known
  const fields: OrderFilter[][] = [
    [{ number }],
    [{ phone }, { phone: '000' }],
    [{ email }],
    [{ restaurant }, { restaurant: 'none' }],
    [{ from: half }, { to: half }, { from: half, to: half + day }],
    STATUSES.map((status) => ({ status })),
    STATES.map((paymentState) => ({ paymentState })),
  ]
  const pairs = fields.flatMap((some, at) =>
    fields
      .slice(at + 1)
      .flatMap((others) => some.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
  )
  return [{}, ...fields.flat(), ...pairs]
}
