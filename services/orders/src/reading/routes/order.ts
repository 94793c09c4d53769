import type { GetOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import { findVisibleOrder, type Deps } from '#/reading/visibility.ts'

/** docs/specification.md, "Endpoints". */
export const getOrder =
  (deps: Deps): Handler<typeof GetOrder> =>
  async ({ params, principal: { applicationId }, requestId }) =>
    orderRecord((await findVisibleOrder(deps, params.apiKey, { applicationId, requestId })).order)
