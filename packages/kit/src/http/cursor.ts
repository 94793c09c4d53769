import type { z } from 'zod'
import { Problem } from '#/http/problem.ts'

/** The position at the end of a page, opaque to clients: base64url of its JSON. */
const writeCursor = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** The position in a cursor of `nextPage`, or null for none. Throws Problem invalid-field for any other text. */
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
 * The `Link` header to the next page: path and query of the request with another cursor. `page` sets it for lists that only `limit`
 * bounds. Order lists, which are also bounded by bytes, and the reconciliation, which has no limit, call this themselves.
 */
export function nextPage(url: string, position: unknown): string {
  const next = new URL(url, 'http://relative')
  next.searchParams.set('cursor', writeCursor(position))
  return `<${next.pathname}${next.search}>; rel="next"`
}
