import type { Bus } from '@platter/bus'
import type { ValidateOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { checkOrder } from '#/check-order.ts'
import { orderRecord } from '#/domain/order.ts'

/** Exactly the two read-only steps of send-order: nothing is stored, charged or transmitted. */
export const validateOrder =
  (bus: Bus): Handler<typeof ValidateOrder> =>
  async ({ body, principal: { applicationId }, requestId }) => {
    const { order } = await checkOrder(bus, body, { applicationId, requestId, now: Date.now() })
    return orderRecord(order)
  }
