import type { Bus } from '@platter/bus'
import type { UserOrders } from '@platter/contracts'
import { nextPage, Problem, readCursor, type Handler } from '@platter/kit'
import { z } from 'zod'
import { orderRecord } from '#/domain/order.ts'
import * as orders from '#/store/orders.ts'
import type { Own } from '#/store/tables.ts'
import { isUserOf } from '#/visibility.ts'

/** The id of the last order of the page before. */
const Cursor = z.int()

/** Specification 4.9: newest first. */
export const userOrders =
  (own: Own, bus: Bus): Handler<typeof UserOrders> =>
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
    const found = await orders.ofRecipient(own({ applicationId, userApiKey: apiKey }), apiKey, {
      before,
      limit: limit + 1,
    })
    const page = found.slice(0, limit)
    if (found.length > limit) setHeader('link', nextPage(url, page.at(-1)?.id))
    return page.map(orderRecord)
  }
