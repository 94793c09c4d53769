import type { Method, OrderStatus } from '@platter/contracts'

/** How much a restaurant tells: a property of the restaurant (docs/interface.md, "Order statuses"). */
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

/** DELIVERED is "handed over" here. */
const pickup: Table = {
  PROCESSING: ['AWAITING_PREPARATION'],
  AWAITING_PREPARATION: ['PREPARING', 'READY_FOR_PICKUP'],
  PREPARING: ['READY_FOR_PICKUP', 'DELIVERED'],
  READY_FOR_PICKUP: ['DELIVERED'],
}

/** Where an order may move from here: the table of docs/interface.md, the usual next status first; none at the end. */
export function nextStatuses(from: OrderStatus, method: Method, reports: Reports): readonly OrderStatus[] {
  const table = method === 'pickup' ? pickup : reports === 'coarse' ? coarseDelivery : detailedDelivery
  return table[from] ?? []
}

export type Progress =
  | { kind: 'advanced'; status: OrderStatus }
  | { kind: 'unchanged' }
  | { kind: 'impossible'; reason: string }

/** Only forward: the current status again changes nothing, anything that the table does not have is impossible. */
export function advance(
  order: { status: OrderStatus; method: Method },
  to: OrderStatus,
  reports: Reports,
): Progress {
  if (order.status === to) return { kind: 'unchanged' }
  if (nextStatuses(order.status, order.method, reports).includes(to)) return { kind: 'advanced', status: to }
  return {
    kind: 'impossible',
    reason: `An order for ${order.method} cannot move from ${order.status} to ${to}.`,
  }
}
