import type { UserOrders } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { clientRecord } from '#/domain/order.ts'
import { orderPage } from '#/order-page.ts'
import { isUserOf, readAndMark, type Deps } from '#/reading/visibility.ts'

/** docs/specification.md, "Endpoints". Newest first. */
export const userOrders =
  ({ orders, tenantStores, bus }: Deps): Handler<typeof UserOrders> =>
  async (call) => {
    const { params, principal, requestId } = call
    const { applicationId } = principal
    const { apiKey } = params
    const page = await orderPage(call, async (range) => {
      if (!(await isUserOf(bus, apiKey, { applicationId, requestId }))) throw new Problem('user-not-found')
      const received = tenantStores({ applicationId, userApiKey: apiKey }).orders
      return readAndMark(orders, () => received.ofRecipient(apiKey, range))
    })
    return page.map(clientRecord)
  }
