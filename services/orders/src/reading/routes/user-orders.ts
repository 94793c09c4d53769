import type { UserOrders } from '@platter/contracts'
import { nextPage, Problem, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { orderRecord } from '#/domain/order.ts'
import * as orders from '#/store/orders.ts'
import { isUserOf, readToShow, type Needs } from '#/reading/visibility.ts'

/** The id of the last order of the page before. */
const Cursor = z.int()

/** docs/specification.md, "Endpoints": newest first. */
export const userOrders =
  ({ db, own, bus }: Needs): Handler<typeof UserOrders> =>
  async ({
    params: { apiKey },
    query: { limit, cursor },
    principal: { applicationId },
    requestId,
    url,
    setHeader,
  }) => {
    const before = cursor === undefined ? null : readCursor(cursor, Cursor)
    if (!(await isUserOf(bus, apiKey, { applicationId, requestId })))
      throw new Problem('user-not-found', 'There is no such user.')
    const rows = own({ applicationId, userApiKey: apiKey })
    const page = await readToShow(db, () => orders.ofRecipient(rows, apiKey, { before, limit }))
    if (page.hasMore) setHeader('link', nextPage(url, page.orders.at(-1)?.id))
    return page.orders.map(orderRecord)
  }
