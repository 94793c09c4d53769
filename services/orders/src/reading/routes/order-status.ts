import type { GetOrderStatus } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { findVisibleOrder, type Deps } from '#/reading/visibility.ts'

export const orderStatus =
  (deps: Deps): Handler<typeof GetOrderStatus> =>
  async ({ params: { apiKey }, principal: { applicationId }, requestId }) => {
    const { orders } = await findVisibleOrder(deps, apiKey, { applicationId, requestId })
    const newest = (await orders.statuses(apiKey)).at(-1)
    if (!newest) throw new Error(`order ${apiKey} has no status`)
    return { orderApiKey: apiKey, ...newest }
  }
