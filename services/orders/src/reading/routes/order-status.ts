import type { GetOrderStatus } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import * as orders from '#/store/orders.ts'
import { findVisibleOrder, type Needs } from '#/reading/visibility.ts'

export const orderStatus =
  (needs: Needs): Handler<typeof GetOrderStatus> =>
  async ({ params: { apiKey }, principal: { applicationId }, requestId }) => {
    const { rows } = await findVisibleOrder(needs, apiKey, { applicationId, requestId })
    const newest = (await orders.statuses(rows, apiKey)).at(-1)
    if (!newest) throw new Error(`order ${apiKey} has no status`)
    return { orderApiKey: apiKey, ...newest }
  }
