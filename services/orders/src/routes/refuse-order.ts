import type { RefuseOrder } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

/** A restaurant refuses an order that it has: the order is cancelled, what was held or taken is given back. */
export const refuseOrder =
  (db: Db, conductor: Conductor): Handler<typeof RefuseOrder> =>
  async ({ params: { apiKey }, body, principal, requestId }) => {
    const before = await readRestaurantOrder(db, principal, apiKey)
    if (before.cancellation) return before
    const detail = `The restaurant refused the order: ${body.reason}`
    const cancelled = await conductor.cancel(apiKey, {
      refusal: { code: 'order-refused', detail },
      cancelledBy: 'restaurant',
      requestId,
    })
    if (!cancelled)
      throw new Problem('invalid-transition', 'The order is delivered: it cannot be refused any more.')
    return readRestaurantOrder(db, principal, apiKey)
  }
