import { formatAmount, SendOrder, toCents, type OrderRequest } from '@platter/contracts'
import { jsonValue, Problem } from '@platter/kit'
import { orderRecord, type PricedOrder } from '#/domain/order.ts'

const orderJson = jsonValue(SendOrder.name, SendOrder.response)

/**
 * Throws Problem price-changed if the total differs from the total that the customer has seen (docs/interface.md, "Order checks").
 * The problem contains the order with its new prices, so that the client can show them without another request. Without
 * `expectedTotal` every total is accepted.
 */
export function checkExpectedTotal(
  order: PricedOrder,
  { expectedTotal }: Pick<OrderRequest, 'expectedTotal'>,
): void {
  if (expectedTotal === undefined || toCents(expectedTotal) === order.total) return
  const detail = `The total is ${formatAmount(order.total)} now. Show it to the customer, and send the order again with it as expectedTotal.`
  throw new Problem('price-changed', detail, {
    faults: [{ pointer: '/expectedTotal', code: 'price-changed', detail }],
    order: orderJson(orderRecord(order)),
  })
}
