import type { GetOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { findVisibleOrder, type Needs } from '#/reading/visibility.ts'

/** docs/specification.md, "Endpoints". */
export const getOrder =
  (needs: Needs): Handler<typeof GetOrder> =>
  async ({ params, principal: { applicationId }, requestId }) =>
    orderRecord((await findVisibleOrder(needs, params.apiKey, { applicationId, requestId })).order)
