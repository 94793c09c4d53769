import type { GetOrder } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { clientRecord } from '#/domain/order.ts'
import { findVisibleOrder, type Deps } from '#/reading/visibility.ts'

/** docs/specification.md, "Endpoints". */
export const getOrder =
  (deps: Deps): Handler<typeof GetOrder> =>
  async ({ params, principal: { applicationId }, requestId }) =>
    clientRecord((await findVisibleOrder(deps, params.apiKey, { applicationId, requestId })).order)
