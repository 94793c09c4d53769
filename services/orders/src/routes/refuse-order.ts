import type { RefuseOrder } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import type { Conductor } from '#/conductor.ts'
import { readRestaurantOrder } from '#/restaurants-side.ts'
import type { Db } from '#/store/tables.ts'

type Needs = { db: Db; conductor: Conductor; acceptWithinMs: number }

/** A restaurant refuses an order that it has: the order is cancelled, what was held or taken is given back. */
export const refuseOrder =
  (needs: Needs): Handler<typeof RefuseOrder> =>
  async ({ params: { apiKey }, body, principal, requestId }) => {
    const before = await readRestaurantOrder(needs, principal, apiKey)
    if (before.cancellation) return before
    const detail = `The restaurant refused the order: ${body.reason}`
    const cancelled = await needs.conductor.cancel(apiKey, {
      refusal: { code: 'order-refused', detail },
      cancelledBy: 'restaurant',
      requestId,
    })
    if (!cancelled)
      throw new Problem('invalid-transition', 'The order is delivered: it cannot be refused any more.')
    return readRestaurantOrder(needs, principal, apiKey)
  }
