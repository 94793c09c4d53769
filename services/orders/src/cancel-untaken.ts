import type { Conductor } from '#/conductor.ts'
import * as restaurantOrders from '#/store/restaurant-orders.ts'
import type { Db } from '#/store/tables.ts'

const AT_ONCE = 50

type Needs = { db: Db; conductor: Conductor; withinMs: number }

/**
 * Cancels orders that lie on a console and that nobody there takes in time; what was held or charged is given
 * back. (A webhook accepts an order by its answer.) True when there may be more.
 */
export async function cancelUntaken({ db, conductor, withinMs }: Needs): Promise<boolean> {
  const due = await restaurantOrders.untaken(db, { withinMs, limit: AT_ONCE })
  await Promise.all(
    due.map(({ orderApiKey, requestId }) =>
      conductor.cancel(orderApiKey, {
        refusal: {
          code: 'restaurant-unreachable',
          detail: 'The restaurant did not take the order in time.',
        },
        cancelledBy: 'system',
        requestId,
        onlyUntaken: true,
      }),
    ),
  )
  return due.length === AT_ONCE
}
