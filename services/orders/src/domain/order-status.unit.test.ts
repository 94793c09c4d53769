import { OrderStatus, type Method } from '@platter/contracts'
import { expect, test } from 'vitest'
import { advance, nextStatuses, type Reports } from '#/domain/order-status.ts'

/** A copy by hand of docs/interface.md, "Order statuses": column, from, to. */
const TABLE = `
detailed PROCESSING AWAITING_PREPARATION
detailed AWAITING_PREPARATION PREPARING
detailed AWAITING_PREPARATION OUT_FOR_DELIVERY
detailed PREPARING OUT_FOR_DELIVERY
detailed PREPARING DELIVERED
detailed OUT_FOR_DELIVERY DELIVERED
coarse PROCESSING AWAITING_PREPARATION
coarse AWAITING_PREPARATION PREPARING_AND_DELIVERING
coarse PREPARING_AND_DELIVERING DELIVERED
pickup PROCESSING AWAITING_PREPARATION
pickup AWAITING_PREPARATION PREPARING
pickup AWAITING_PREPARATION READY_FOR_PICKUP
pickup PREPARING READY_FOR_PICKUP
pickup PREPARING DELIVERED
pickup READY_FOR_PICKUP DELIVERED`

const columns: { column: string; method: Method; reports: Reports }[] = [
  { column: 'detailed', method: 'delivery', reports: 'detailed' },
  { column: 'coarse', method: 'delivery', reports: 'coarse' },
  { column: 'pickup', method: 'pickup', reports: 'detailed' },
  { column: 'pickup', method: 'pickup', reports: 'coarse' },
]

test.each(columns)(
  'exactly the transitions of the table are possible: $column, $reports',
  ({ column, method, reports }) => {
    const pairs = OrderStatus.options.flatMap((from) => OrderStatus.options.map((to) => ({ from, to })))
    for (const { from, to } of pairs) {
      const expected = from === to ? 'unchanged' : isInTable(column, from, to) ? 'advanced' : 'impossible'
      expect(advance({ status: from, method, reports }, to).kind, `${from} to ${to}`).toBe(expected)
    }
  },
)

const isInTable = (...cells: string[]) => TABLE.split('\n').includes(cells.join(' '))

test.each(columns)(
  'the usual next statuses lead from PROCESSING to DELIVERED: $column, $reports',
  ({ method, reports }) => {
    const path: OrderStatus[] = ['PROCESSING']
    const nextOf = (status: OrderStatus) => nextStatuses({ status, method, reports })[0]
    for (let next = nextOf('PROCESSING'); next; next = nextOf(next)) path.push(next)
    expect(path.at(-1)).toBe('DELIVERED')
  },
)

test.each<[OrderStatus, OrderStatus, Reports, string]>([
  ['AWAITING_PREPARATION', 'PREPARING', 'coarse', 'to PREPARING: next is PREPARING_AND_DELIVERING.'],
  ['AWAITING_PREPARATION', 'DELIVERED', 'detailed', 'to DELIVERED: next is PREPARING or OUT_FOR_DELIVERY.'],
  ['DELIVERED', 'PREPARING', 'detailed', 'to PREPARING: DELIVERED is the last status.'],
])('names the possible statuses after %s instead of %s, %s', (status, to, reports, words) => {
  expect(advance({ status, method: 'delivery', reports }, to)).toEqual({
    kind: 'impossible',
    reason: `An order for delivery cannot move from ${status} ${words}`,
  })
})
