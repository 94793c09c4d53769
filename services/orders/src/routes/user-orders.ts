import type { UserOrders } from '@platter/contracts'
import { nextPage, Problem, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { orderRecord } from '#/domain/order.ts'
import * as orders from '#/store/orders.ts'
import { isUserOf, readToShow, type Needs } from '#/visibility.ts'

/** The id of the last order of the page before. */
const Cursor = z.int()

/** Specification 4.9: newest first. */
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
    const found = await readToShow(db, () => orders.ofRecipient(rows, apiKey, { before, limit: limit + 1 }))
    const page = found.slice(0, limit)
    if (found.length > limit) setHeader('link', nextPage(url, page.at(-1)?.id))
    return page.map(orderRecord)
  }
