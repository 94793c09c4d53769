import type { Orchestrator } from '#/saga/orchestrator.ts'
import type { Stores } from '#/store/stores.ts'

const DUE_AT_ONCE = 50

type Deps = Pick<Stores, 'restaurantOrders'> & { orchestrator: Orchestrator; startWithinMs: number }

/**
 * Cancels orders that their restaurants have not started on a console in time; an authorization is voided, a capture refunded. A
 * webhook accepts an order by its response, so its orders never wait here. Returns true if more may be due.
 */
export async function cancelUnstarted({
  restaurantOrders,
  orchestrator,
  startWithinMs,
}: Deps): Promise<boolean> {
  const due = await restaurantOrders.unstarted({ withinMs: startWithinMs, limit: DUE_AT_ONCE })
  await Promise.all(
    due.map(({ orderApiKey }) =>
      orchestrator.apply(orderApiKey, {
        kind: 'cancelled',
        by: 'system',
        refusal: {
          code: 'restaurant-unreachable',
          detail: 'The restaurant did not start the order in time.',
        },
        onlyUnstarted: true,
      }),
    ),
  )
  return due.length === DUE_AT_ONCE
}
