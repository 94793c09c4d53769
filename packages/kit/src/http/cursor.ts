import type { z } from 'zod'
import { Problem } from '#/http/problem.ts'

/** Encodes the position at the end of a page: base64url of its JSON. Clients treat it as opaque. */
const writeCursor = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** Decodes a cursor of `nextPage`; null without a cursor. Throws Problem invalid-field for any other text. */
export function readCursor<S extends z.ZodType>(cursor: string | undefined, position: S): z.output<S> | null {
  if (cursor === undefined) return null
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    const detail = 'cursor is not one of a Link header.'
    throw new Problem('invalid-field', detail, {
      faults: [{ pointer: 'query/cursor', code: 'invalid-field', detail }],
      cause,
    })
  }
}

/**
 * Returns the `Link` header of the next page: the request's path and query with the next cursor. `page` sets it for lists
 * with a `limit`, and `orderPage` of orders for lists with a byte limit too. Operations without a `limit` call this function directly.
 */
export function nextPage(url: string, position: unknown): string {
  const next = new URL(url, 'http://relative')
  next.searchParams.set('cursor', writeCursor(position))
  return `<${next.pathname}${next.search}>; rel="next"`
}
