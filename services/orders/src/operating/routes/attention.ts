import { Before, type ReadAttention } from '@platter/contracts'
import { nextPage, readCursor, type Handler } from '@platter/kit'
import { readAttention, type Deps } from '#/operating/incidents.ts'

/** Ids, types, reasons and counts: the contents of messages stay in the rows. */
export const attention =
  (deps: Deps): Handler<typeof ReadAttention> =>
  async ({ query: { limit, cursor }, requestId, deadline, url, setHeader }) => {
    const before = cursor === undefined ? null : readCursor(cursor, Before)
    const found = await readAttention(deps, { before, limit: limit + 1 }, { requestId, deadline })
    const page = found.slice(0, limit)
    if (found.length > limit) setHeader('link', nextPage(url, page.at(-1)?.position))
    return page.map(({ item }) => item)
  }
