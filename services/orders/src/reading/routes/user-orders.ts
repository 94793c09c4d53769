import type { UserOrders } from '@platter/contracts'
import { nextPage, Problem, readCursor, type Handler } from '@platter/kit'
import { clientRecord } from '#/domain/order.ts'
import { isUserOf, readAndMark, type Deps } from '#/reading/visibility.ts'
import { LastOrderId } from '#/store/order-pages.ts'

/** docs/specification.md, "Endpoints". Newest first. */
export const userOrders =
  ({ orders, tenantStores, bus }: Deps): Handler<typeof UserOrders> =>
  async ({
    params: { apiKey },
    query: { limit, cursor },
    principal: { applicationId },
    requestId,
    url,
    setHeader,
  }) => {
    const before = readCursor(cursor, LastOrderId)
    if (!(await isUserOf(bus, apiKey, { applicationId, requestId }))) throw new Problem('user-not-found')
    const received = tenantStores({ applicationId, userApiKey: apiKey }).orders
    const page = await readAndMark(orders, () => received.ofRecipient(apiKey, { before, limit }))
    if (page.hasMore) setHeader('link', nextPage(url, page.orders.at(-1)?.id))
    return page.orders.map(clientRecord)
  }
