import { ApiKey } from '@platter/contracts'
import { nextPage, readCursor } from '@platter/kit'
import { z } from 'zod'
import type { Position } from '#/store/tables.ts'

const Cursor = z.object({ at: z.int(), id: ApiKey })

/** Where a page begins; null for the first one. Throws Problem invalid-field for a cursor that is none. */
export const positionOf = (cursor: string | undefined): Position | null =>
  cursor === undefined ? null : readCursor(cursor, Cursor)

type Paged = { query: { limit: number }; url: string; setHeader(name: string, value: string): void }

/** The page of what was found, one more than fit on it; what is beyond is told in the `Link` header. */
export function pageOf<R extends { id: string; at: number }>(call: Paged, found: readonly R[]): R[] {
  const { limit } = call.query
  const page = found.slice(0, limit)
  const last = page.at(-1)
  if (found.length > limit && last) call.setHeader('link', nextPage(call.url, { at: last.at, id: last.id }))
  return page
}
