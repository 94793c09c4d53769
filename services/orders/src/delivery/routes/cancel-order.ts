import { CancelOrder, type Order } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { cancellableUntil, offerOf } from '#/delivery/customer-cancellation.ts'
import { orderRecord } from '#/domain/order.ts'
import { findVisibleOrder, type Deps as Visibility } from '#/reading/visibility.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Idempotent } from '#/store/stores.ts'

type Deps = Visibility & { idempotent: Idempotent; orchestrator: Pick<Orchestrator, 'apply'> }

/**
 * Cancels an order for its customer. If a cancellation and a status report of the restaurant are concurrent, one is saved and the
 * other finds the changed order. The cancellation commits before the idempotency key, because a repeated cancellation changes
 * nothing.
 */
export function cancelOrder(deps: Deps): Handler<typeof CancelOrder> {
  const { orchestrator } = deps
  const { executeRepeatable } = deps.idempotent(CancelOrder)

  /**
   * Reading marks a pending order, so that it stays visible as cancelled if it fails. Throws Problem test-key for a live order and a
   * test key, which can neither refund a charge nor reach a real restaurant.
   */
  async function read({ params, principal: { applicationId, mode }, requestId }: Call<typeof CancelOrder>) {
    const { order } = await findVisibleOrder(deps, params.apiKey, { applicationId, requestId })
    if (mode === 'test' && !order.test)
      throw new Problem('test-key', 'This order is real. A test key cancels test orders only.')
    return order
  }

  async function cancel(call: Call<typeof CancelOrder>): Promise<Order> {
    const order = await read(call)
    if (order.cancellation) return orderRecord(order)
    const refusal = { code: 'order-cancelled', detail: 'The customer cancelled the order.' } as const
    const until = cancellableUntil(order)
    const cancelled = { kind: 'cancelled', by: 'customer', refusal, onlyUnstarted: true, until } as const
    const isCancelled = await orchestrator.apply(order.apiKey, cancelled)
    const now = await read(call)
    // An equal concurrent request may have cancelled the order in the meantime.
    if (isCancelled || now.cancellation) return orderRecord(now)
    const isOpen = now.status === 'AWAITING_PREPARATION' || now.status === 'PROCESSING'
    throw new Problem(
      'cancel-too-late',
      isOpen ? 'The time to cancel the order is over.' : 'The restaurant has begun the order.',
    )
  }

  return async (call) => {
    if (call.query['validate-only']) return offerOf(await read(call), Math.floor(Date.now() / 1_000))
    return executeRepeatable(call, () => cancel(call))
  }
}
