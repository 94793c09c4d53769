import type { Method, OrderStatus } from '@platter/contracts'

/** The detail of a restaurant's status reports (docs/interface.md, "Order statuses"). */
export type Reports = 'detailed' | 'coarse'

type Table = Partial<Record<OrderStatus, readonly OrderStatus[]>>

const detailedDelivery: Table = {
  PROCESSING: ['AWAITING_PREPARATION'],
  AWAITING_PREPARATION: ['PREPARING', 'OUT_FOR_DELIVERY'],
  PREPARING: ['OUT_FOR_DELIVERY', 'DELIVERED'],
  OUT_FOR_DELIVERY: ['DELIVERED'],
}

const coarseDelivery: Table = {
  PROCESSING: ['AWAITING_PREPARATION'],
  AWAITING_PREPARATION: ['PREPARING_AND_DELIVERING'],
  PREPARING_AND_DELIVERING: ['DELIVERED'],
}

/** DELIVERED means handed over to the customer. */
const pickup: Table = {
  PROCESSING: ['AWAITING_PREPARATION'],
  AWAITING_PREPARATION: ['PREPARING', 'READY_FOR_PICKUP'],
  PREPARING: ['READY_FOR_PICKUP', 'DELIVERED'],
  READY_FOR_PICKUP: ['DELIVERED'],
}

type Moving = { status: OrderStatus; method: Method; reports: Reports }

/** Returns the possible next statuses (the table of docs/interface.md), the usual one first; empty at the end. */
export function nextStatuses({ status, method, reports }: Moving): readonly OrderStatus[] {
  const table = method === 'pickup' ? pickup : reports === 'coarse' ? coarseDelivery : detailedDelivery
  return table[status] ?? []
}

export type Advance =
  | { kind: 'advanced'; status: OrderStatus }
  | { kind: 'unchanged' }
  | { kind: 'impossible'; reason: string }

/** Applies a reported status. A status moves only forward, by the table. Reporting the current status again changes nothing. */
export function advance(order: Moving, to: OrderStatus): Advance {
  if (order.status === to) return { kind: 'unchanged' }
  const next = nextStatuses(order)
  if (next.includes(to)) return { kind: 'advanced', status: to }
  const possible = next.length === 0 ? `${order.status} is the last status` : `next is ${next.join(' or ')}`
  return {
    kind: 'impossible',
    reason: `An order for ${order.method} cannot move from ${order.status} to ${to}: ${possible}.`,
  }
}
