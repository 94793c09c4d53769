import { RefuseOrder } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { findRestaurantOrder, notAcceptedYet } from '#/reading/find-restaurant-order.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { requestCancellation } from '#/saga/request-cancellation.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Pick<Stores, 'restaurantOrders'> & {
  idempotent: Idempotent
  orchestrator: Orchestrator
  startWithinMs: number
}

/**
 * Refuses an order for its restaurant: the order is cancelled, its authorization voided or its capture refunded. The cancellation
 * commits before the idempotency key, because a repeated cancellation changes nothing.
 */
export function refuseOrder(deps: Deps): Handler<typeof RefuseOrder> {
  const { orchestrator } = deps
  const { executeRepeatable } = deps.idempotent(RefuseOrder)

  async function refuse({ params: { apiKey }, body, principal }: Call<typeof RefuseOrder>) {
    const detail = `The restaurant refused the order: ${body.reason}`
    const refusal = { code: 'order-refused', detail } as const
    const { order, isCancelled } = await requestCancellation(
      { orchestrator, read: () => findRestaurantOrder(deps, principal, apiKey) },
      () => ({ by: 'restaurant', refusal, onlyUnstarted: false }),
    )
    if (isCancelled) return order
    throw (
      notAcceptedYet(order) ??
      new Problem('invalid-transition', 'The order is delivered, and can no longer be refused.')
    )
  }

  return (call) => executeRepeatable(call, () => refuse(call))
}
