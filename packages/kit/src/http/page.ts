import type { z } from 'zod'
import { nextPage, readCursor } from '#/http/cursor.ts'

/** The parts of a `Call` that a page needs. */
type PageCall = {
  query: { limit: number; cursor?: string | undefined }
  url: string
  setHeader: (name: string, value: string) => void
}

/** The range of a page, newest first. `before` is the position of the last record of the previous page; null for the first page. */
export type PageRange<P> = { before: P | null; limit: number }

/**
 * Returns one page of a list, and sets a `Link` header to the next page. `list` receives a limit of one more record, which shows
 * whether a next page exists. Throws Problem invalid-field for an invalid cursor.
 */
export async function page<P extends z.ZodType, R>(
  { query: { limit, cursor }, url, setHeader }: PageCall,
  position: P,
  list: (range: PageRange<z.output<P>>) => Promise<readonly R[]>,
  positionOf: (record: R) => z.input<P>,
): Promise<R[]> {
  const before = readCursor(cursor, position)
  const found = await list({ before, limit: limit + 1 })
  const records = found.slice(0, limit)
  const last = records.at(-1)
  if (found.length > limit && last !== undefined) setHeader('link', nextPage(url, positionOf(last)))
  return records
}
