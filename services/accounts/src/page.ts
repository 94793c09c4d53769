import { ApiKey } from '@platter/contracts'
import { nextPage, readCursor } from '@platter/kit'
import { z } from 'zod'
import type { PageRange } from '#/store/tables.ts'

const Cursor = z.object({ at: z.int(), id: ApiKey })

type PageCall = {
  query: { limit: number; cursor?: string | undefined }
  url: string
  setHeader: (name: string, value: string) => void
}

/**
 * One page of a list, with a `Link` header to the next one: reads one record more than the page has. Throws Problem invalid-field
 * for an invalid cursor.
 */
export async function page<R extends { id: string; at: number }>(
  { query: { limit, cursor }, url, setHeader }: PageCall,
  list: (range: PageRange) => Promise<R[]>,
): Promise<R[]> {
  const before = cursor === undefined ? null : readCursor(cursor, Cursor)
  const found = await list({ before, limit: limit + 1 })
  const records = found.slice(0, limit)
  const last = records.at(-1)
  if (found.length > limit && last) setHeader('link', nextPage(url, { at: last.at, id: last.id }))
  return records
}
