import { CancelOrder, epochSeconds, type Order } from '@platter/contracts'
import { Problem, type Call, type Handler } from '@platter/kit'
import { cancellableUntil, offerOf } from '#/delivery/customer-cancellation.ts'
import { orderRecord, type PlacedOrder } from '#/domain/order.ts'
import { findVisibleOrder, type Deps as Visibility } from '#/reading/visibility.ts'
import type { Orchestrator } from '#/saga/orchestrator.ts'
import { requestCancellation } from '#/saga/request-cancellation.ts'
import type { Idempotent, Stores } from '#/store/stores.ts'

type Deps = Visibility & {
  sagas: Pick<Stores['sagas'], 'load'>
  idempotent: Idempotent
  orchestrator: Pick<Orchestrator, 'apply'>
}

/** Cancels an order for its customer. It commits before the idempotency key, because a repeated cancellation changes nothing. */
export function cancelOrder(deps: Deps): Handler<typeof CancelOrder> {
  const { orchestrator, sagas } = deps
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

  /** A failed order has no cancellation until its payment is voided, which takes as long as the processor is unavailable. */
  async function isFailing({ apiKey, status, cancellation }: PlacedOrder): Promise<boolean> {
    if (status !== 'PROCESSING' || cancellation) return false
    return Boolean((await sagas.load(apiKey))?.saga.state.refusal)
  }

  async function cancel(call: Call<typeof CancelOrder>): Promise<Order> {
    const refusal = { code: 'order-cancelled', detail: 'The customer cancelled the order.' } as const
    const { order, isCancelled } = await requestCancellation(
      { orchestrator, read: () => read(call) },
      (found) => ({ by: 'customer', refusal, onlyUnstarted: true, until: cancellableUntil(found) }),
    )
    if (isCancelled) return orderRecord(order)
    if (await isFailing(order))
      throw new Problem(
        'service-unavailable',
        'The order has failed, and its payment is being voided. Please try again.',
      )
    const isOpen = order.status === 'AWAITING_PREPARATION' || order.status === 'PROCESSING'
    throw new Problem(
      'cancel-too-late',
      isOpen ? 'The time to cancel the order is over.' : 'The restaurant has begun the order.',
    )
  }

  return async (call) => {
    if (!call.query['validate-only']) return executeRepeatable(call, () => cancel(call))
    const order = await read(call)
    return offerOf(order, { at: epochSeconds(), isFailing: await isFailing(order) })
  }
}
