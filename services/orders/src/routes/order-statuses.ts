import type { Bus } from '@platter/bus'
import type { OrderStatuses } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import * as orders from '#/store/orders.ts'
import type { Db } from '#/store/tables.ts'
import { findVisibleOrder } from '#/visibility.ts'

/** Specification 4.11. */
export const orderStatuses =
  (db: Db, bus: Bus): Handler<typeof OrderStatuses> =>
  async ({ params: { apiKey }, principal: { applicationId }, requestId }) => {
    await findVisibleOrder(db, bus, apiKey, { applicationId, requestId })
    const history = await orders.statuses(db, apiKey)
    return history.map((record) => ({ orderApiKey: apiKey, ...record }))
  }
