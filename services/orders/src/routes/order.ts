import type { Bus } from '@platter/bus'
import type { GetOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import type { Db } from '#/store/tables.ts'
import { findVisibleOrder } from '#/visibility.ts'

/** Specification 4.10. */
export const getOrder =
  (db: Db, bus: Bus): Handler<typeof GetOrder> =>
  async ({ params, principal: { applicationId }, requestId }) =>
    orderRecord(await findVisibleOrder(db, bus, params.apiKey, { applicationId, requestId }))
